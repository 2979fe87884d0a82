package protocol_test

import (
	"fmt"
	"strings"
	"testing"

	"ahptui/protocol"
)

func TestDecisions(t *testing.T) {
	t.Parallel()
	session := &protocol.SessionState{WorkingDirectories: []protocol.URI{"file:///a", "file:///b"}}
	entry := func(list ...*protocol.Enablement) protocol.Server {
		return protocol.Server{Customization: &protocol.Customization{Type: protocol.TypeMcpServer, ID: "m", Enablement: list}}
	}
	theirs := entry(&protocol.Enablement{Kind: protocol.ScopeGlobal, Enabled: true})
	theirs.Container = &protocol.Customization{Type: protocol.TypePlugin, ClientID: "x"}
	for _, tt := range []struct {
		name    string
		version protocol.Version
		srv     protocol.Server
		on      bool
		want    string
	}{
		{"before there are scopes", protocol.V0_7_0, entry(), false, "session off=false: off"},
		{
			"no decision yet", protocol.V0_8_0, entry(), false,
			"session off=false: session-; workspace file:///a off=false: workspace-; workspace file:///b off=false: workspace-; global off=false: global-",
		},
		{
			"the session's own counts before all others", protocol.V1_0_0, entry(&protocol.Enablement{Kind: protocol.ScopeSession, Enabled: true}), false,
			"session off=false: session-; workspace file:///a off=true: session+ workspace-; workspace file:///b off=true: session+ workspace-; global off=true: session+ global-",
		},
		{
			"taken back", protocol.V1_0_0, entry(&protocol.Enablement{Kind: protocol.ScopeSession}, &protocol.Enablement{Kind: protocol.ScopeGlobal, Enabled: true}), true,
			"session on=true: session+ global+; workspace file:///a on=false: session- workspace+ global+; workspace file:///b on=false: session- workspace+ global+; " +
				"global on=false: session- global+; session back=true: global+",
		},
		{
			"taken back, which is of no use", protocol.V1_0_0, entry(&protocol.Enablement{Kind: protocol.ScopeSession}, &protocol.Enablement{Kind: protocol.ScopeGlobal}), true,
			"session on=true: session+ global-; workspace file:///a on=false: session- workspace+ global-; workspace file:///b on=false: session- workspace+ global-; global on=false: session- global+",
		},
		{
			"what a client has brought", protocol.V1_0_0, theirs, false,
			"session off=false: session- global+; workspace file:///a off=false: workspace- global+; workspace file:///b off=false: workspace- global+",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var list []string
			for _, d := range protocol.Decisions(tt.version, session, tt.srv, tt.on) {
				list = append(list, decisionWords(d))
			}
			if got := strings.Join(list, "; "); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func decisionWords(d protocol.Decision) string {
	word := "back"
	if d.On != nil {
		word = map[bool]string{true: "on", false: "off"}[*d.On]
	}
	words := fmt.Sprintf("%s %s=%t:", strings.TrimSpace(d.Scope+" "+string(d.Workspace)), word, d.Then)
	if d.Action.Enabled != nil {
		return words + " " + map[bool]string{true: "on", false: "off"}[*d.Action.Enabled]
	}
	for _, e := range d.Action.Enablement {
		words += " " + e.Kind + map[bool]string{true: "+", false: "-"}[e.Enabled]
	}
	return words
}
