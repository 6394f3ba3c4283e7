package catalyst

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// record is a sign-in at rest. It is written to the token store and nowhere
// else.
type record struct {
	Server       string    `json:"server"`
	ClientID     string    `json:"client_id"`
	Issuer       string    `json:"issuer"`
	TokenURL     string    `json:"token_endpoint"`
	Scope        string    `json:"scope,omitempty"`
	AccessToken  string    `json:"access_token"`
	RefreshToken string    `json:"refresh_token,omitempty"`
	Expiry       time.Time `json:"expiry,omitzero"`
	SavedAt      time.Time `json:"saved_at"` // when the tokens were given
}

// String keeps a record from being printed with its tokens by accident.
func (record) String() string { return "sign-in [token]" }

// GoString is String.
func (r record) GoString() string { return r.String() }

// fresh reports whether the access token can be used for the next moments: ten
// seconds, or a quarter of its life if that is less.
func (r record) fresh(now time.Time) bool {
	if r.AccessToken == "" || r.Expiry.IsZero() {
		return r.AccessToken != ""
	}
	skew := min(10*time.Second, r.Expiry.Sub(r.SavedAt)/4)
	return now.Add(skew).Before(r.Expiry)
}

var errNoRecord = errors.New("no sign-in is stored")

// tokenStore keeps one sign-in per server and client: in the system's keyring
// when there is one, else in a file that only the user can read. Several
// processes share it; whoever changes it holds the lock.
type tokenStore struct {
	path string
	ring *keyringSlot // nil: no keyring here
}

func newTokenStore(c Config) (*tokenStore, error) {
	sum := sha256.Sum256([]byte(c.Server + "\x00" + c.ClientID))
	name := "catalyst-" + hex.EncodeToString(sum[:8])
	s := &tokenStore{path: c.TokenFile}
	if s.path == "" {
		dir, err := os.UserConfigDir()
		if err != nil {
			return nil, configFault("the user's configuration directory cannot be found; set catalyst.token_file", err)
		}
		s.path = filepath.Join(dir, "idem-mcp", name+".json")
	}
	if !c.NoKeyring {
		s.ring = newKeyringSlot(name, c.Getenv)
	}
	return s, nil
}

// where says in words where the sign-in is kept.
func (s *tokenStore) where() string {
	if s.ring.usable() {
		return "the system's keyring"
	}
	return s.path
}

// load returns the stored sign-in, errNoRecord when there is none. A sign-in
// can stand in both places after a keyring came or went: the newer one counts.
func (s *tokenStore) load() (record, error) {
	file, ferr := s.loadFile()
	ring, rerr := s.ring.load()
	switch {
	case rerr == nil && (ferr != nil || ring.SavedAt.After(file.SavedAt)):
		return ring, nil
	case ferr == nil:
		return file, nil
	case !errors.Is(ferr, errNoRecord):
		return record{}, ferr
	}
	return record{}, errNoRecord
}

func (s *tokenStore) loadFile() (record, error) {
	var r record
	b, err := os.ReadFile(s.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return r, errNoRecord
	case err != nil:
		return r, storeFault("read", err)
	}
	if json.Unmarshal(b, &r) != nil {
		// The JSON error would quote the file, which holds tokens.
		return record{}, storeFault("read", errors.New("the file is not a stored sign-in"))
	}
	return r, nil
}

// save writes r so that a reader sees the old record or the new one, whole.
// The caller holds the lock.
func (s *tokenStore) save(r record) error {
	if s.ring.save(r) == nil {
		if err := os.Remove(s.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return storeFault("remove the old copy of", err)
		}
		return nil
	}
	b, err := json.Marshal(r)
	if err != nil {
		return storeFault("write", err)
	}
	tmp, err := os.CreateTemp(filepath.Dir(s.path), ".sign-in-*") // created 0600
	if err != nil {
		return storeFault("write", err)
	}
	defer func() { _ = os.Remove(tmp.Name()) }() // gone already unless something failed
	_, err = tmp.Write(b)
	err = errors.Join(err, tmp.Sync(), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), s.path)
	}
	if err != nil {
		return storeFault("write", err)
	}
	return nil
}

// remove forgets the sign-in everywhere; removed tells whether there was one.
func (s *tokenStore) remove() (removed bool, err error) {
	removed = s.ring.remove()
	switch err := os.Remove(s.path); {
	case err == nil:
		return true, nil
	case errors.Is(err, fs.ErrNotExist):
		return removed, nil
	default:
		return removed, storeFault("remove", err)
	}
}

// lock takes the store's lock, shared by all processes, and returns its
// release. It waits until ctx ends.
func (s *tokenStore) lock(ctx context.Context) (release func(), err error) {
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return nil, storeFault("lock", err)
	}
	l := flock.New(s.path+".lock", flock.SetPermissions(0o600))
	if ok, err := l.TryLockContext(ctx, 5*time.Millisecond); err != nil || !ok {
		return nil, storeFault("lock", errors.Join(err, ctx.Err()))
	}
	return func() { l.Close() }, nil //nolint:errcheck // the lock ends with the descriptor
}

func storeFault(verb string, cause error) error {
	return &fault.Error{
		Kind:  fault.Config,
		What:  verb + " the stored sign-in",
		Cause: cause,
		Means: "Catalyst cannot be asked as you",
		Do:    "Make the directory writable for you, or set catalyst.token_file to a path that is",
	}
}
