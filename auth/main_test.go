package auth

import (
	"flag"
	"os"
	"runtime"
	"strconv"
	"testing"

	"go.uber.org/goleak"
)

// atOnce is how many tests run at once where nobody says otherwise: most of them wait for something.
const atOnce = 16

func TestMain(m *testing.M) {
	if playSupply() {
		os.Exit(0)
	}
	flag.Parse()
	fuzzing := flag.Lookup("test.fuzz").Value.String() != "" // which means workers by the same word
	if parallel := flag.Lookup("test.parallel"); !fuzzing && parallel.Value.String() == strconv.Itoa(runtime.GOMAXPROCS(0)) {
		_ = parallel.Value.Set(strconv.Itoa(atOnce)) // one that is not set only makes them slower
	}
	goleak.VerifyTestMain(m)
}
