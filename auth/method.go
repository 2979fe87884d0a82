package auth

import (
	"fmt"
	"net/netip"
	"net/url"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// Method is a way to come to a token.
type Method string

// The methods.
const (
	ByBrowser Method = "browser" // a browser of this machine, which comes back to a port of it (RFC 8252)
	ByDevice  Method = "device"  // a code that the person types in a browser anywhere (RFC 8628)
	ByPaste   Method = "paste"   // a browser anywhere; the address at which it ends is pasted here
	ByToken   Method = "token"   // a token that somebody got elsewhere
)

// Place is what the choice of a method depends on: where this program runs. The zero Place is a desktop.
type Place struct {
	OS             string // as in [runtime.GOOS]
	SSHConnection  string // what sshd says of the connection: the client's address and port, then the server's
	Display        string // of X11
	WaylandDisplay string
	User           string // the name of the account here
}

// Here is the place of this process, by its environment.
func Here() Place { return placeOf(runtime.GOOS, os.Getenv) }

func placeOf(goos string, getenv func(string) string) Place {
	return Place{
		OS: goos, SSHConnection: getenv("SSH_CONNECTION"), Display: getenv("DISPLAY"), WaylandDisplay: getenv("WAYLAND_DISPLAY"),
		User: getenv("USER"),
	}
}

// NoBrowser says why a browser that is started here shows nothing to the person; nil when one does.
func (p Place) NoBrowser() error {
	switch {
	case p.SSHConnection != "":
		return ErrRemote
	case p.OS == "linux" && p.Display == "" && p.WaylandDisplay == "":
		return ErrNoDisplay
	}
	return nil
}

// Tunnel is the command that, on the machine where the person sits, lets a browser there come back to a redirect URI
// here. It is empty where this is no session over SSH. The server's address is the one that the connection came in at;
// whoever came by way of others knows a better name for it.
func (p Place) Tunnel(redirectURI string) string {
	fields := strings.Fields(p.SSHConnection)
	u, err := url.Parse(redirectURI)
	if len(fields) != 4 || err != nil || u.Port() == "" {
		return ""
	}
	server, err := netip.ParseAddr(fields[2])
	sshPort, errPort := strconv.ParseUint(fields[3], 10, 16)
	if err != nil || errPort != nil {
		return ""
	}
	command := fmt.Sprintf("ssh -N -L %s:127.0.0.1:%s ", u.Port(), u.Port())
	if sshPort != 22 {
		command += fmt.Sprintf("-p %d ", sshPort)
	}
	if p.User != "" && strings.IndexFunc(p.User, func(r rune) bool { return !strings.ContainsRune(accountLetters, r) }) < 0 {
		command += p.User + "@"
	}
	return command + server.String()
}

// accountLetters are those of account names that need no quotes in any shell.
const accountLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"

// DefaultMethod chooses from what is offered: the browser of this machine where there is one, else a code to type
// elsewhere, else an address to paste.
func DefaultMethod(p Place, offered []Method) Method {
	order := []Method{ByDevice, ByPaste, ByBrowser, ByToken}
	if p.NoBrowser() == nil {
		order = []Method{ByBrowser, ByDevice, ByPaste, ByToken}
	}
	for _, m := range order {
		if slices.Contains(offered, m) {
			return m
		}
	}
	return ""
}

// offered are the ways that a server leaves open. A token from elsewhere is one with any server, where there is a place
// that it can come from.
func (f *Flow) offered(m *serverMetadata) []Method {
	var all []Method
	if m.AuthorizationEndpoint != "" {
		all = append(all, ByBrowser)
	}
	if m.DeviceEndpoint != "" {
		all = append(all, ByDevice)
	}
	if m.AuthorizationEndpoint != "" {
		all = append(all, ByPaste)
	}
	if f.broker.config.Interactive || f.broker.supply(f.Challenge().Resource) != nil {
		all = append(all, ByToken)
	}
	return all
}
