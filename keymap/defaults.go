package keymap

import "slices"

// The IDs.
const (
	AppHelp      ID = "app.help"
	AppQuit      ID = "app.quit"
	AppInterrupt ID = "app.interrupt"
	AppSuspend   ID = "app.suspend"
	HostRefresh  ID = "host.refresh"
	BlockNext    ID = "block.next"
	BlockNewest  ID = "block.newest"
	BlockList    ID = "block.list"
	Palette      ID = "app.palette"

	PanelNext     ID = "panel.next"
	PanelPrevious ID = "panel.previous"
	PanelWider    ID = "panel.wider"
	PanelNarrower ID = "panel.narrower"
	PanelReset    ID = "panel.reset"
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
	TurnEscape  ID = "turn.escape"

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
	CallEdit       ID = "call.edit"

	RequestAnswer ID = "request.answer"
	AnswerSwap    ID = "request.swap"

	ServerDetail  ID = "server.detail"
	ServerStart   ID = "server.start"
	ServerStop    ID = "server.stop"
	ServerRestart ID = "server.restart"
	ServerToggle  ID = "server.toggle"
	// ServerBackground goes on without a server that messages wait for.
	ServerBackground ID = "server.background"
	ServerDoctor     ID = "server.doctor"
	SignOut          ID = "auth.signout"
	KeepTokens       ID = "auth.keep"

	ComposerFocus   ID = "composer.focus"
	ComposerSend    ID = "composer.send"
	ComposerNewline ID = "composer.newline"
	ComposerLeave   ID = "composer.leave"

	ComposerOlder    ID = "composer.older"
	ComposerNewer    ID = "composer.newer"
	ComposerComplete ID = "composer.complete"
	ComposerAttach   ID = "composer.attach"
	ComposerSteer    ID = "composer.steer"
	QueueTake        ID = "queue.take"
	QueueEarlier     ID = "queue.earlier"
	QueueLater       ID = "queue.later"

	ChangesShow    ID = "changes.show"
	ChangesChoose  ID = "changes.choose"
	ChangesAct     ID = "changes.act"
	DiffOpen       ID = "diff.open"
	ReviewToggle   ID = "review.toggle"
	HunkNext       ID = "hunk.next"
	HunkPrevious   ID = "hunk.previous"
	FileNext       ID = "file.next"
	FilePrevious   ID = "file.previous"
	PathCopy       ID = "path.copy"
	PanelBack      ID = "panel.back"
	TerminalsShow  ID = "terminals.show"
	TerminalType   ID = "terminal.type"
	TerminalLeave  ID = "terminal.leave"
	TerminalNew    ID = "terminal.new"
	TerminalEnd    ID = "terminal.end"
	TerminalReturn ID = "terminal.return"
	TerminalUp     ID = "terminal.up"
	TerminalDown   ID = "terminal.down"

	OverlayAccept   ID = "overlay.accept"
	OverlayClose    ID = "overlay.close"
	OverlayNext     ID = "overlay.next"
	OverlayPrevious ID = "overlay.previous"
	OverlaySend     ID = "overlay.send"
)

// defaults is the table of bindings. The footer names them in this order, the
// help by group in this order.
//
// What can do harm is apart from what one types all the time: stop is a capital
// letter, a call is approved and denied with keys that do nothing else, and
// everything that is a letter counts only while a panel has the keyboard.
func defaults() []Binding {
	return slices.Concat(writing(), changes(), terminals(), inPlace(), calls(), requests(), servers(), signIn(), sessions(), listing(), moving(), general(), composing(), reading(), overlays())
}
