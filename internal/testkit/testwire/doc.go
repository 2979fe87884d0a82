// Package testwire is what the module's tests put between a client and a host: a [Link], which is a transport in memory
// that has the faults of a network, and a [Judge] of what is sent at a protocol version.
//
// No program imports it.
package testwire
