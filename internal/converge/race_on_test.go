//go:build race

package converge

// raced: the race detector is on, which makes everything several times slower.
const raced = true
