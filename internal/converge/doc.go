// Package converge holds the convergence of clients and host as a property: whatever clients do, and whatever the
// network and the host's fate do to them, in the end every client shows what the host has.
// There is no code in it, only the test.
package converge
