//go:build !unix

package secret

// KeepOutOfCoreDumps does nothing where there are no core dumps.
func KeepOutOfCoreDumps() error { return nil }
