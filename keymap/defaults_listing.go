package keymap

// The IDs of what is done with the list of sessions, and with the session that is selected.
const (
	SessionFilter    ID = "session.filter"
	SessionFilterEnd ID = "session.filter.end"
	SessionSort      ID = "session.sort"
	SessionGroup     ID = "session.group"
	SessionArchived  ID = "session.archived"
	SessionRename    ID = "session.rename"
	SessionArchive   ID = "session.archive"
	SessionRead      ID = "session.read"
	SessionDispose   ID = "session.dispose"
	ChatList         ID = "chat.list"
)

func listing() []Binding {
	return []Binding{
		{
			ID: ChatList, Group: GroupSession, In: Panels, Keys: []string{"C"},
			Short: "chats", Long: "List the chats of the session on the screen: go to one, make one, fork one",
		},
		{
			ID: SessionFilter, Group: GroupSession, In: Sessions, Hint: Sessions, Keys: []string{"/"},
			Short: "filter", Long: "Show the sessions that match all words; !word leaves out those that have it",
		},
		{
			ID: SessionFilterEnd, Group: GroupSession, In: Sessions, Keys: []string{"esc"},
			Short: "end filter", Long: "Show all sessions again; without a filter, pressed twice in a row, cancel the turn that is running",
		},
		{
			ID: SessionSort, Group: GroupSession, In: Sessions, Keys: []string{"s"},
			Short: "sort", Long: "Sort sessions by what needs you, last change, title or creation",
		},
		{
			ID: SessionGroup, Group: GroupSession, In: Sessions, Keys: []string{"b"},
			Short: "group", Long: "Group sessions by provider, by status, or not",
		},
		{
			ID: SessionArchived, Group: GroupSession, In: Sessions, Keys: []string{"v"},
			Short: "archived", Long: "Show archived sessions, or leave them out",
		},
		{
			ID: SessionRename, Group: GroupSession, In: Sessions, Keys: []string{"e"},
			Short: "rename", Long: "Give the selected session another title",
		},
		{
			ID: SessionRead, Group: GroupSession, In: Sessions, Keys: []string{"m"},
			Short: "read/unread", Long: "Mark the selected session as read, or as unread",
		},
		{
			ID: SessionArchive, Group: GroupSession, In: Sessions, Keys: []string{"z"},
			Short: "archive", Long: "Archive the selected session, or take it back",
		},
		{
			ID: SessionDispose, Group: GroupSession, In: Sessions, Keys: []string{"D"},
			Short: "dispose", Long: "Have the host delete the selected session with all that is in it; asks first",
		},
	}
}
