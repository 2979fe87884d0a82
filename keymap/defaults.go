package keymap

// The IDs.
const (
	AppHelp      ID = "app.help"
	AppQuit      ID = "app.quit"
	AppInterrupt ID = "app.interrupt"
	HostRefresh  ID = "host.refresh"
	BlockNext    ID = "block.next"
	BlockNewest  ID = "block.newest"

	PanelNext     ID = "panel.next"
	PanelPrevious ID = "panel.previous"
	MoveUp        ID = "move.up"
	MoveDown      ID = "move.down"
	PageUp        ID = "page.up"
	PageDown      ID = "page.down"
	HalfUp        ID = "half.up"
	HalfDown      ID = "half.down"
	MoveTop       ID = "move.top"
	MoveBottom    ID = "move.bottom"

	SessionOpen ID = "session.open"
	SessionNew  ID = "session.new"
	TurnCancel  ID = "turn.cancel"

	DetailToggle ID = "detail.toggle"
	AccessGrant  ID = "access.grant"
	AccessCopy   ID = "access.copy"
	AccessOpen   ID = "access.open"
	// The keys of the window in which access is granted.
	AccessBrowser  ID = "access.browser"
	AccessDevice   ID = "access.device"
	AccessPaste    ID = "access.paste"
	AccessToken    ID = "access.token"
	AccessScopes   ID = "access.scopes"
	AccessIssuer   ID = "access.issuer"
	AccessRegister ID = "access.register"
	AccessNever    ID = "access.never"
	AccessDecline  ID = "access.decline"
	AccessScan     ID = "access.scan"
	AccessTunnel   ID = "access.tunnel"
	CallApprove    ID = "call.approve"
	CallDeny       ID = "call.deny"
	CallOption     ID = "call.option"

	ServerDetail  ID = "server.detail"
	ServerStart   ID = "server.start"
	ServerStop    ID = "server.stop"
	ServerRestart ID = "server.restart"
	ServerToggle  ID = "server.toggle"
	SignOut       ID = "auth.signout"
	KeepTokens    ID = "auth.keep"

	ComposerFocus   ID = "composer.focus"
	ComposerSend    ID = "composer.send"
	ComposerNewline ID = "composer.newline"
	ComposerLeave   ID = "composer.leave"

	OverlayAccept   ID = "overlay.accept"
	OverlayClose    ID = "overlay.close"
	OverlayNext     ID = "overlay.next"
	OverlayPrevious ID = "overlay.previous"
)

// defaults is the table of bindings. The footer names them in this order, the
// help by group in this order.
//
// What can do harm is apart from what one types all the time: stop is a capital
// letter, a call is approved and denied with keys that do nothing else, and
// everything that is a letter counts only while a panel has the keyboard.
func defaults() []Binding {
	return []Binding{
		{
			ID: ComposerFocus, Group: GroupComposer, In: Panels, Hint: Panels, Keys: []string{"i"},
			Short: "write", Long: "Write a message to the chat on the screen",
		},
		{
			ID: ComposerSend, Group: GroupComposer, In: Composer, Hint: Composer, Keys: []string{"enter"},
			Short: "send", Long: "Send what was written",
		},
		{
			ID: ComposerNewline, Group: GroupComposer, In: Composer, Hint: Composer, Keys: []string{"ctrl+j", "alt+enter", "shift+enter"},
			Short: "new line", Long: "Begin a new line in the message",
		},
		{
			ID: ComposerLeave, Group: GroupComposer, In: Composer, Hint: Composer, Keys: []string{"esc"},
			Short: "back", Long: "Go back to the panels; what was written stays",
		},

		{
			ID: AccessGrant, Group: GroupCall, In: Transcript | Servers, Keys: []string{"g"},
			Short: "grant", Long: "Grant access to the selected tool call or MCP server that waits for it",
		},
		{
			ID: CallApprove, Group: GroupCall, In: Transcript, Keys: []string{"y"},
			Short: "approve", Long: "Let the selected tool call run, or its result be used",
		},
		{
			ID: CallDeny, Group: GroupCall, In: Transcript, Keys: []string{"d"},
			Short: "deny", Long: "Refuse the selected tool call, or its result",
		},
		{
			ID: CallOption, Group: GroupCall, In: Transcript, Keys: []string{"1", "2", "3", "4", "5", "6", "7", "8", "9"},
			Short: "option", Long: "Choose one of the answers that the host offers",
		},
		{
			ID: DetailToggle, Group: GroupCall, In: Transcript, Hint: Transcript, Keys: []string{"enter", "space"},
			Short: "details", Long: "Show or hide what the selected tool call sent and got",
		},

		{
			ID: ServerStart, Group: GroupServer, In: Servers, Hint: Servers, Keys: []string{"s"},
			Short: "start", Long: "Start the selected MCP server",
		},
		{
			ID: ServerStop, Group: GroupServer, In: Servers, Hint: Servers, Keys: []string{"S"},
			Short: "stop", Long: "Stop the selected MCP server",
		},
		{
			ID: ServerRestart, Group: GroupServer, In: Servers, Hint: Servers, Keys: []string{"r"},
			Short: "restart", Long: "Restart the selected MCP server",
		},
		{
			ID: ServerToggle, Group: GroupServer, In: Servers, Hint: Servers, Keys: []string{"e"},
			Short: "on/off", Long: "Enable or disable the selected MCP server",
		},
		{
			ID: ServerDetail, Group: GroupServer, In: Servers, Hint: Servers, Keys: []string{"enter", "space"},
			Short: "details", Long: "Show or hide the details of the selected MCP server",
		},
		{
			ID: SignOut, Group: GroupSignIn, In: Servers, Keys: []string{"O"},
			Short: "sign out", Long: "Sign out of the selected MCP server's resource, of this host, or of everything",
		},
		{
			ID: KeepTokens, Group: GroupSignIn, In: Servers | Overlay, Keys: []string{"K"},
			Short: "keep tokens", Long: "Say where tokens are kept; also while signing in",
		},

		{
			ID: SessionOpen, Group: GroupSession, In: Sessions, Hint: Sessions, Keys: []string{"enter"},
			Short: "open", Long: "Open the selected session; write to it if it is open",
		},
		{
			ID: SessionNew, Group: GroupSession, In: Panels, Hint: Sessions, Keys: []string{"n"},
			Short: "new", Long: "Make a new session",
		},
		{
			ID: TurnCancel, Group: GroupSession, In: Transcript | Composer, Hint: Transcript, Keys: []string{"x", "ctrl+x"},
			Short: "cancel", Long: "Give up the selected tool call that waits for access, or cancel the turn that is running",
		},

		{
			ID: PanelNext, Group: GroupMove, In: Panels, Hint: Panels, Keys: []string{"tab", "l", "right"},
			Short: "panel", Long: "Go to the next panel",
		},
		{
			ID: PanelPrevious, Group: GroupMove, In: Panels, Keys: []string{"shift+tab", "h", "left"},
			Short: "panel back", Long: "Go to the panel before",
		},
		{
			ID: MoveUp, Group: GroupMove, In: Panels | Overlay, Keys: []string{"k", "up"},
			Short: "up", Long: "Select what is above",
		},
		{
			ID: MoveDown, Group: GroupMove, In: Panels | Overlay, Keys: []string{"j", "down"},
			Short: "down", Long: "Select what is below",
		},
		{
			ID: HalfUp, Group: GroupMove, In: Panels | Overlay, Keys: []string{"ctrl+u"},
			Short: "half a page up", Long: "Scroll up half a page",
		},
		{
			ID: HalfDown, Group: GroupMove, In: Panels | Overlay, Keys: []string{"ctrl+d"},
			Short: "half a page down", Long: "Scroll down half a page",
		},
		{
			ID: PageUp, Group: GroupMove, In: Panels | Composer | Overlay, Keys: []string{"pgup"},
			Short: "page up", Long: "Scroll up a page; in the composer, the chat above it",
		},
		{
			ID: PageDown, Group: GroupMove, In: Panels | Composer | Overlay, Keys: []string{"pgdown"},
			Short: "page down", Long: "Scroll down a page; in the composer, the chat above it",
		},
		{
			ID: MoveTop, Group: GroupMove, In: Panels | Overlay, Keys: []string{"home"},
			Short: "top", Long: "Go to the beginning",
		},
		{
			ID: MoveBottom, Group: GroupMove, In: Panels | Overlay, Keys: []string{"G", "end"},
			Short: "end", Long: "Go to the end; a chat is followed from there as it grows",
		},

		{
			ID: BlockNext, Group: GroupGeneral, In: Panels, Hint: Panels, Keys: []string{"a"},
			Short: "next blocked", Long: "Go to the next thing that waits for you, wherever it is",
		},
		{
			ID: BlockNewest, Group: GroupGeneral, In: Panels | Composer, Hint: Composer, Keys: []string{"ctrl+g"},
			Short: "newest blocked", Long: "Go to what was blocked last, also while writing",
		},
		{
			ID: HostRefresh, Group: GroupGeneral, In: Panels, Keys: []string{"R"},
			Short: "refresh", Long: "Ask the host for everything anew; reconnect at once if it is gone",
		},
		{
			ID: AppHelp, Group: GroupGeneral, In: Everywhere, Hint: Panels, Keys: []string{"?", "f1"},
			Short: "help", Long: "Show or hide the keys",
		},
		{
			ID: AppQuit, Group: GroupGeneral, In: Panels, Keys: []string{"q"},
			Short: "quit", Long: "Leave; what runs on the host goes on",
		},
		{
			ID: AppInterrupt, Group: GroupGeneral, In: Everywhere, Keys: []string{"ctrl+c"}, fixed: true,
			Short: "quit", Long: "Leave from anywhere",
		},

		{
			ID: AccessCopy, Group: GroupSignIn, In: Overlay, Keys: []string{"c"},
			Short: "copy", Long: "Copy the address of a sign-in",
		},
		{
			ID: AccessTunnel, Group: GroupSignIn, In: Overlay, Keys: []string{"C"},
			Short: "copy command", Long: "Copy the command that brings a browser elsewhere back to this machine",
		},
		{
			ID: AccessOpen, Group: GroupSignIn, In: Overlay, Keys: []string{"o"},
			Short: "open", Long: "Open the address of a sign-in in the browser once more",
		},
		{
			ID: AccessBrowser, Group: GroupSignIn, In: Overlay, Keys: []string{"b"},
			Short: "browser", Long: "Sign in with a browser of this machine",
		},
		{
			ID: AccessDevice, Group: GroupSignIn, In: Overlay, Keys: []string{"d"},
			Short: "device", Long: "Sign in by a code that is typed in a browser on any machine",
		},
		{
			ID: AccessPaste, Group: GroupSignIn, In: Overlay, Keys: []string{"p"},
			Short: "paste", Long: "Sign in with a browser on any machine, and paste the address at which it ends",
		},
		{
			ID: AccessToken, Group: GroupSignIn, In: Overlay, Keys: []string{"t"},
			Short: "token", Long: "Use a token that you have got elsewhere",
		},
		{
			ID: AccessScopes, Group: GroupSignIn, In: Overlay, Keys: []string{"s"},
			Short: "scopes", Long: "Choose which scopes to ask for",
		},
		{
			ID: AccessIssuer, Group: GroupSignIn, In: Overlay, Keys: []string{"i"},
			Short: "other server", Long: "Look at the next authorization server that the resource names",
		},
		{
			ID: AccessRegister, Group: GroupSignIn, In: Overlay, Keys: []string{"r"},
			Short: "register", Long: "Make this program known anew, for when the authorization server has forgotten it",
		},
		{
			ID: AccessScan, Group: GroupSignIn, In: Overlay, Keys: []string{"Q"},
			Short: "scan", Long: "Show or hide the address as a code for a camera",
		},
		{
			ID: AccessDecline, Group: GroupSignIn, In: Overlay, Keys: []string{"x"},
			Short: "cancel call", Long: "Give up the tool call that waits for access",
		},
		{
			ID: AccessNever, Group: GroupSignIn, In: Overlay, Keys: []string{"N"},
			Short: "never", Long: "Do not let this host ask for access to this again",
		},
		{
			ID: OverlayAccept, Group: GroupOverlay, In: Overlays, Hint: Overlays, Keys: []string{"enter"},
			Short: "accept", Long: "Take what is selected or filled in",
		},
		{
			ID: OverlayNext, Group: GroupOverlay, In: Overlays, Hint: Form, Keys: []string{"tab"},
			Short: "next field", Long: "Go to the next field",
		},
		{
			ID: OverlayPrevious, Group: GroupOverlay, In: Overlays, Keys: []string{"shift+tab"},
			Short: "field before", Long: "Go to the field before",
		},
		{
			ID: OverlayClose, Group: GroupOverlay, In: Overlays, Hint: Overlays, Keys: []string{"esc", "q"},
			Short: "close", Long: "Close without doing anything",
		},
	}
}
