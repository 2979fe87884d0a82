package testkit

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Tests are the tests and fuzz targets of the module below root, each by its directory and name, such as "auth.TestPaste".
func Tests(tb testing.TB, root string) map[string]bool {
	tb.Helper()
	function := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	tests := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		for _, match := range function.FindAllSubmatch(text, -1) {
			tests[filepath.ToSlash(dir)+"."+string(match[1])] = true
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	return tests
}
