package protocol

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestErrorData(t *testing.T) {
	t.Parallel()
	yes := true
	resource := []*ProtectedResourceMetadata{{Resource: "r"}}
	for _, tt := range []struct {
		code int
		data string
		want any
	}{
		{CodeUnsupportedProtocolVersion, `{"supportedVersions":["^0.9.0"]}`, &UnsupportedVersionData{SupportedVersions: []string{"^0.9.0"}}},
		{CodeUnsupportedProtocolVersion, ``, nil},
		{CodeUnsupportedProtocolVersion, `null`, nil},
		{CodeAuthRequired, `{"resources":[{"resource":"r"}]}`, &AuthRequiredData{Resources: resource}},
		{CodeAuthRequired, `[{"resource":"r"}]`, &AuthRequiredData{Resources: resource}},
		{CodeAuthRequired, `"r"`, nil},
		{CodePermissionDenied, `{"request":{"channel":"ahp-root://","uri":"file:///a","write":true}}`, &PermissionDeniedData{Request: &ResourceRequestParams{Channel: RootChannel, URI: "file:///a", Write: &yes}}},
		{CodePermissionDenied, `{}`, &PermissionDeniedData{}},
		{CodeNotFound, `{"x":1}`, nil},
		{-32603, `{"x":1}`, nil},
	} {
		if diff := cmp.Diff(tt.want, ErrorData(tt.code, Raw(tt.data))); diff != "" {
			t.Errorf("%d %s (-want +got):\n%s", tt.code, tt.data, diff)
		}
	}
	names := map[string]bool{}
	for code := -32011; code <= -32001; code++ {
		names[CodeName(code)] = true
	}
	if len(names) != 11 || names[""] || CodeName(-32601) != "MethodNotFound" || CodeName(1) != "" {
		t.Errorf("the codes are named %v", names)
	}
}
