// Package interop tries the program with what others have made: the conformance suite of the Model Context Protocol, and an
// authorization server. They are npm packages; package.json says which, and AHPTUI_INTEROP names the directory in which
// they are installed. Without it there is nothing to try, and the tests say so.
// There is no code in it, only the tests.
package interop
