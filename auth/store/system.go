package store

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/zalando/go-keyring"

	"ahptui/internal/secret"
)

// SystemKeyring is the keyring of the operating system: the Keychain of macOS, the Credential Manager of Windows, and
// elsewhere what answers to the Secret Service of freedesktop.org on the session's message bus (D-Bus). Where there is no
// such bus, none is started, and its calls fail at once.
func SystemKeyring() Keyring { return systemKeyring{} }

type systemKeyring struct{}

func (systemKeyring) Get(service, account string) (secret.Value, error) {
	if err := reachable(runtime.GOOS, os.Getenv); err != nil {
		return secret.Value{}, err
	}
	text, err := keyring.Get(service, account)
	if errors.Is(err, keyring.ErrNotFound) {
		return secret.Value{}, ErrNoSecret
	}
	return secret.New(text), err
}

func (systemKeyring) Set(service, account string, value secret.Value) error {
	if err := reachable(runtime.GOOS, os.Getenv); err != nil {
		return err
	}
	return keyring.Set(service, account, value.Reveal())
}

// reachable reports why there can be no keyring: a session without a message bus has none, and asking for one would start
// a bus that nobody else is on.
func reachable(goos string, getenv func(string) string) error {
	switch goos {
	case "darwin", "windows":
		return nil
	}
	address := getenv("DBUS_SESSION_BUS_ADDRESS")
	if address != "" && !strings.HasPrefix(address, "autolaunch:") && !strings.HasPrefix(address, "disabled:") {
		return nil
	}
	if dir := getenv("XDG_RUNTIME_DIR"); dir != "" && address == "" {
		if info, err := os.Stat(filepath.Join(dir, "bus")); err == nil && info.Mode()&os.ModeSocket != 0 {
			return nil
		}
	}
	return errors.New("this session has no D-Bus")
}
