package protocol

import (
	"strings"
	"testing"
)

func TestVersionRange(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text    string
		in, out string // versions, set apart by spaces
	}{
		{"0.9.0", "0.9.0", "0.9.1 0.8.9 1.0.0"},
		{"=0.9.0", "0.9.0", "0.9.1"},
		{"v0.9.0", "0.9.0", "0.9.1"},
		{"0.9", "0.9.0 0.9.7", "0.8.9 0.10.0"},
		{"0.9.x", "0.9.0 0.9.7", "0.8.9 0.10.0"},
		{"1", "1.0.0 1.9.9", "0.9.9 2.0.0"},
		{"*", "0.0.0 0.5.1 99.0.0", ""},
		{"^0.9.0", "0.9.0 0.9.12", "0.8.0 0.10.0 1.0.0"},
		{"^0.9.3", "0.9.3 0.9.4", "0.9.2 0.10.0"},
		{"^0.9", "0.9.0", "0.10.0"},
		{"^0.0.3", "0.0.3", "0.0.4 0.0.2"},
		{"^0.0", "0.0.0 0.0.9", "0.1.0"},
		{"^0", "0.0.0 0.9.0", "1.0.0"},
		{"^1.2.3", "1.2.3 1.9.0", "1.2.2 2.0.0"},
		{"~0.9.1", "0.9.1 0.9.9", "0.9.0 0.10.0"},
		{"~1", "1.0.0 1.9.0", "2.0.0"},
		{">=0.8", "0.8.0 0.9.0 1.0.0", "0.7.9"},
		{">0.8", "0.9.0 1.0.0", "0.8.0 0.8.5"},
		{">0.8.0", "0.8.1", "0.8.0"},
		{"<=0.8", "0.8.9 0.5.1", "0.9.0"},
		{"<0.8", "0.7.9", "0.8.0"},
		{"<0.0.0", "", "0.0.0 1.0.0"},
		{">*", "", "0.0.0 1.0.0"},
		{">=0.7.0 <0.9.0", "0.7.0 0.8.5", "0.6.9 0.9.0"},
		{">= 0.7.0   < 0.9.0", "0.7.0 0.8.5", "0.6.9 0.9.0"},
		{"^0.9.0 || ^1.0.0", "0.9.1 1.5.0", "0.10.0 2.0.0"},
		{"0.5.1||0.6.0", "0.5.1 0.6.0", "0.5.2"},
	} {
		r, err := ParseVersionRange(tt.text)
		if err != nil {
			t.Errorf("%s: %v", tt.text, err)
			continue
		}
		for want, list := range map[bool]string{true: tt.in, false: tt.out} {
			for _, s := range strings.Fields(list) {
				v, err := ParseVersion(s)
				if err != nil {
					t.Fatal(err)
				}
				if r.Contains(v) != want {
					t.Errorf("%s contains %s: %v", tt.text, s, !want)
				}
			}
		}
	}
	for _, s := range []string{
		"", " ", "||", "^", ">=", "latest", "1.2.3.4", "1.2.3-rc.1", "1.2.3+5", "x.1", "1.x.3", "^^0.9.0", "0.9.0 ||", "!0.9", "<>1",
		"1.2.99999", "-1", "٠.٩.٠", strings.Repeat("1.0.0 ", 17), strings.Repeat("0", 300),
	} {
		if r, err := ParseVersionRange(s); err == nil {
			t.Errorf("%q is the range %v", s, r)
		}
	}
	if (VersionRange{}).Contains(V1_0_0) {
		t.Error("the zero range contains something")
	}
}

func FuzzVersionRange(f *testing.F) {
	for _, s := range []string{"^0.9.0", ">=0.8", "0.9.x || ^1", "~ 1.2 <2", "*", ">=0.7.0 <0.9.0", "x.1", "||"} {
		f.Add(s, "0.9.0")
	}
	f.Fuzz(func(t *testing.T, text, version string) {
		r, err := ParseVersionRange(text)
		v, bad := ParseVersion(version)
		if err != nil || bad != nil {
			return
		}
		r.Contains(v)
		// A version is in the range that it is, and in its own caret range.
		for _, s := range []string{version, "^" + version, ">=" + version, "<=" + version, text + " || " + version} {
			if own, err := ParseVersionRange(s); err == nil && !own.Contains(v) {
				t.Errorf("%s does not contain %s", s, version)
			}
		}
	})
}
