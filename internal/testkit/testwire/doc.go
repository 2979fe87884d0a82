// Package testwire is what the module's tests put between a client and a host: a transport in memory that has the faults of
// a network.
//
// No program imports it.
package testwire
