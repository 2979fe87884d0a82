//go:build !unix

package secret

// NoCoreDumps does nothing here: this system writes no core dumps by itself.
func NoCoreDumps() error { return nil }
