package keymap

func signIn() []Binding {
	return []Binding{
		{
			ID: SignOut, Group: GroupSignIn, In: Servers, Keys: []string{"O"},
			Short: "sign out", Long: "Sign out of the selected MCP server's resource, of this host, or of everything",
		},
		{
			ID: KeepTokens, Group: GroupSignIn, In: Servers | Overlay, Keys: []string{"K"},
			Short: "keep tokens", Long: "Say where tokens are kept; also while signing in",
		},
		{
			ID: AccessCopy, Group: GroupSignIn, In: Overlay, Keys: []string{"c"},
			Short: "copy", Long: "Copy the address of a sign-in, or one that an agent asks you to open",
		},
		{
			ID: AccessTunnel, Group: GroupSignIn, In: Overlay, Keys: []string{"C"},
			Short: "copy command", Long: "Copy the command that brings a browser elsewhere back to this machine",
		},
		{
			ID: AccessOpen, Group: GroupSignIn, In: Overlay, Keys: []string{"o"},
			Short: "open", Long: "Open the address of a sign-in in the browser once more, or one that an agent asks you to open",
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
	}
}
