// Package store keeps tokens between two runs of the program, and refreshes them so that any number of its processes may
// do so at once.
//
// A [Store] lies in one of three places: in a file that is encrypted with a key from the system's keyring, in a plain file
// that only its owner can read, or in this process alone. Which one it is can always be asked ([Store.Status]). What a
// person agreed to and refused is kept beside the tokens, holds no secret and is not encrypted ([Memory]).
//
// Everything on disk has a version. A file of a newer version, one that others can read and a symbolic link are left
// alone, and say so; what is damaged is set aside. A file is replaced as a whole or not at all: a process may be killed
// at any moment.
//
// Nothing here speaks to a server or a host. Who refreshes, revokes and pushes is package auth.
package store
