package auth

import (
	"errors"
	"testing"
)

// B53, B35: over SSH a code to type where the server has it, else an address to paste; the browser at a desktop.
func TestDefaultMethod(t *testing.T) {
	t.Parallel()
	desktop := Place{OS: "linux", Display: ":0"}
	wayland := Place{OS: "linux", WaylandDisplay: "wayland-0"}
	bare := Place{OS: "linux"}
	ssh := Place{OS: "linux", SSHConnection: "10.0.0.9 50000 10.0.0.5 22"}
	forwarded := Place{OS: "linux", SSHConnection: "10.0.0.9 50000 10.0.0.5 22", Display: "localhost:10.0"}
	mac := Place{OS: "darwin"}
	macSSH := Place{OS: "darwin", SSHConnection: "10.0.0.9 50000 10.0.0.5 22"}
	all := []Method{ByBrowser, ByDevice, ByPaste, ByToken}
	noDevice := []Method{ByBrowser, ByPaste, ByToken}
	onlyDevice := []Method{ByDevice, ByToken}
	for _, tt := range []struct {
		name    string
		place   Place
		offered []Method
		want    Method
	}{
		{"a desktop", desktop, all, ByBrowser},
		{"Wayland", wayland, all, ByBrowser},
		{"a Mac", mac, all, ByBrowser},
		{"nothing known", Place{}, all, ByBrowser},
		{"a desktop and a server for devices only", desktop, onlyDevice, ByDevice},
		{"no display", bare, all, ByDevice},
		{"no display, no device grant", bare, noDevice, ByPaste},
		{"SSH", ssh, all, ByDevice},
		{"SSH, no device grant", ssh, noDevice, ByPaste},
		{"SSH with a display of elsewhere", forwarded, all, ByDevice},
		{"a Mac over SSH", macSSH, noDevice, ByPaste},
		{"nothing but a token", ssh, []Method{ByToken}, ByToken},
		{"nothing", desktop, nil, ""},
	} {
		if got := DefaultMethod(tt.place, tt.offered); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// The hint has the port that is open, and nothing in it needs quotes in a shell.
func TestTunnel(t *testing.T) {
	t.Parallel()
	const back = "http://127.0.0.1:41234/callback"
	for _, tt := range []struct {
		connection, user, redirect, want string
	}{
		{"10.0.0.9 50000 10.0.0.5 22", "kim", back, "ssh -N -L 41234:127.0.0.1:41234 kim@10.0.0.5"},
		{"10.0.0.9 50000 10.0.0.5 2222", "kim", back, "ssh -N -L 41234:127.0.0.1:41234 -p 2222 kim@10.0.0.5"},
		{"fe80::1 50000 2001:db8::5 22", "", back, "ssh -N -L 41234:127.0.0.1:41234 2001:db8::5"},
		{"10.0.0.9 50000 10.0.0.5 22", "kim; rm -rf /", back, "ssh -N -L 41234:127.0.0.1:41234 10.0.0.5"},
		{"10.0.0.9 50000 10.0.0.5 22", "kim", "http://localhost:8080/callback", "ssh -N -L 8080:127.0.0.1:8080 kim@10.0.0.5"},
		{"", "kim", back, ""},
		{"x", "kim", back, ""},
		{"10.0.0.9 50000 $(id) 22", "kim", back, ""},
		{"10.0.0.9 50000 10.0.0.5 0x16", "kim", back, ""},
		{"10.0.0.9 50000 10.0.0.5 22", "kim", "", ""},
	} {
		if got := (Place{SSHConnection: tt.connection, User: tt.user}).Tunnel(tt.redirect); got != tt.want {
			t.Errorf("%q, %q: %q, want %q", tt.connection, tt.user, got, tt.want)
		}
	}
}

func TestHere(t *testing.T) {
	t.Setenv("SSH_CONNECTION", "10.0.0.9 50000 10.0.0.5 22")
	if p := Here(); p.OS == "" || !errors.Is(p.NoBrowser(), ErrRemote) {
		t.Errorf("here is %+v", p)
	}
}
