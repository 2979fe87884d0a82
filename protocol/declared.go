package protocol

// Declared is what the host tells of how a server is declared: the command that it runs, or its address. The protocol has no
// members for either; hosts that tell put them beside the others, or into _meta. Arguments and environment are left alone:
// secrets stand there.
func (c *Customization) Declared() (command, url string) {
	for _, raw := range []Raw{c.Extra, c.Meta} {
		var members struct {
			Command Raw `json:"command"`
			URL     Raw `json:"url"`
		}
		if raw == nil || Unmarshal(raw, &members) != nil {
			continue
		}
		if command == "" {
			command = oneWord(members.Command)
		}
		if url == "" {
			url = oneWord(members.URL)
		}
	}
	return command, url
}

// oneWord is a string, or the first of a list of strings.
func oneWord(raw Raw) string {
	var word string
	if raw == nil || Unmarshal(raw, &word) == nil {
		return word
	}
	var words []string
	if Unmarshal(raw, &words) == nil && len(words) > 0 {
		return words[0]
	}
	return ""
}
