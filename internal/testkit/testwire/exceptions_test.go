package testwire

import (
	"testing"

	"ahptui/protocol"
)

// TestExceptions: each is needed, and does what it is for.
func TestExceptions(t *testing.T) {
	t.Parallel()
	for _, v := range []protocol.Version{protocol.V0_6_0, protocol.V0_7_0, protocol.V0_8_0} {
		t.Run(v.String(), func(t *testing.T) {
			t.Parallel()
			skipWithoutSchemas(t, v)
			excepted, err := schemasOf(v)
			if err != nil {
				t.Fatal(err)
			}
			plain, err := loadSchemas(minorOf(v), func(map[string]any) error { return nil })
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range exceptionsAt(minorOf(v)) {
				if err := plain.check(e.def, []byte(e.right)); err == nil {
					t.Errorf("the schemas take this %s without the exception (%s): %s", e.def, e.reason, e.right)
				}
				if err := excepted.check(e.def, []byte(e.right)); err != nil {
					t.Errorf("the exception for %s does not help: %v", e.def, err)
				}
			}
		})
	}
}

// TestAbsentSchemas: a clone of the project alone has none, and checks nothing.
func TestAbsentSchemas(t *testing.T) {
	t.Setenv("AHP_SCHEMA_DIR", t.TempDir())
	if s, err := loadSchemas("0.6", exceptionsTo("0.6")); s != nil || err != nil {
		t.Errorf("where there are no schemas, %v are loaded: %v", s, err)
	}
}
