package catalyst

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/zalando/go-keyring"
)

const keyringService = "idem-mcp"

// keyringWait bounds one call to the keyring. The calls cannot be cancelled, so
// one that hangs keeps its goroutine until it ends, and the keyring is not
// asked again by this process.
const keyringWait = 5 * time.Second

var errNoKeyring = errors.New("no keyring")

// keyringSlot is one entry of the operating system's keyring. A nil slot and a
// slot whose keyring failed once behave alike: there is no keyring.
type keyringSlot struct {
	user   string
	broken atomic.Bool
}

// newKeyringSlot returns nil where a keyring cannot exist: on Linux without a
// session bus. Asking there would start one, or wait for one.
func newKeyringSlot(user string, getenv func(string) string) *keyringSlot {
	switch runtime.GOOS {
	case "darwin", "windows":
		return &keyringSlot{user: user}
	}
	if a := getenv("DBUS_SESSION_BUS_ADDRESS"); a != "" && !strings.HasPrefix(a, "autolaunch:") {
		return &keyringSlot{user: user}
	}
	if _, err := os.Stat(filepath.Join("/run/user", strconv.Itoa(os.Getuid()), "bus")); err == nil {
		return &keyringSlot{user: user}
	}
	return nil
}

func (k *keyringSlot) usable() bool { return k != nil && !k.broken.Load() }

func (k *keyringSlot) load() (record, error) {
	var r record
	var value string
	err := k.do(func() (err error) { value, err = keyring.Get(keyringService, k.user); return err })
	if err != nil {
		return r, err
	}
	if json.Unmarshal([]byte(value), &r) != nil {
		return record{}, errNoRecord
	}
	return r, nil
}

func (k *keyringSlot) save(r record) error {
	b, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return k.do(func() error { return keyring.Set(keyringService, k.user, string(b)) })
}

func (k *keyringSlot) remove() bool {
	return k.do(func() error { return keyring.Delete(keyringService, k.user) }) == nil
}

// do runs one call within keyringWait. Any failure but "not found" marks the
// keyring as broken for this process.
func (k *keyringSlot) do(call func() error) error {
	if !k.usable() {
		return errNoKeyring
	}
	done := make(chan error, 1)
	go func() { done <- call() }()
	select {
	case err := <-done:
		switch {
		case errors.Is(err, keyring.ErrNotFound):
			return errNoRecord
		case err != nil:
			k.broken.Store(true)
			return errNoKeyring
		}
		return nil
	case <-time.After(keyringWait):
		k.broken.Store(true)
		return errNoKeyring
	}
}
