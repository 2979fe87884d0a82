package protocol

// VersionRange is temporary.
type VersionRange struct{ v Version }

func ParseVersionRange(s string) (VersionRange, error) {
	caret := len(s) > 0 && s[0] == '^'
	if caret {
		s = s[1:]
	}
	v, err := ParseVersion(s)
	return VersionRange{v}, err
}

func (r VersionRange) Contains(v Version) bool { return v.AtLeast(r.v) && v.Major == r.v.Major && v.Minor == r.v.Minor }
