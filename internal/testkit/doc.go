// Package testkit is what the module's tests share: a virtual terminal that a real program runs on and that tests look
// at as a person would (cells, not byte streams), and the way to a real agent host.
//
// No program imports it.
package testkit
