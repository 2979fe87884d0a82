// Command ahptui is a terminal client for the Agent Host Protocol.
package main

import (
	"os"

	"ahptui/cli"
)

func main() {
	os.Exit(cli.Main(os.Args[1:], cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
}
