package gate_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/idem-mcp/idem-mcp/gate"
)

// serving starts a gate on a free port; stop ends it and returns Serve's error.
func serving(t *testing.T, l gate.Listen, inner http.Handler) (url string, stop func() error) {
	t.Helper()
	record := gate.NewRecord(zerolog.Nop())
	g, err := gate.New(t.Context(), gate.Config{}, record)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ready, ended := make(chan string, 1), make(chan error, 1)
	l.Addr, l.Ready = "127.0.0.1:0", func(url string) { ready <- url }
	go func() { ended <- g.Serve(ctx, l, inner, zerolog.Nop()) }()
	select {
	case url = <-ready:
	case err := <-ended:
		t.Fatal(err)
	}
	record.Called("ada-lovelace", "idem_status", "answered", time.Millisecond, 10)
	return url, func() error { cancel(); return <-ended }
}

// A running request may end after the server was told to stop; a new one is not
// taken.
func TestGracefulShutdown(t *testing.T) {
	t.Parallel()
	entered, release := make(chan struct{}), make(chan struct{})
	url, stop := serving(t, gate.Listen{}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(entered)
		<-release
		_, _ = io.WriteString(w, "done")
	}))
	got := make(chan string, 1)
	go func() {
		_, body := ask(t, url, "", nil)
		got <- body
	}()
	<-entered
	ended := make(chan error, 1)
	go func() { ended <- stop() }()
	select {
	case err := <-ended:
		t.Fatalf("ended with a request running: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	close(release)
	if body := <-got; body != "done" {
		t.Errorf("the running request got %q", body)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// A request that does not end is cut off after the grace time.
func TestShutdownDoesNotWaitForEver(t *testing.T) {
	t.Parallel()
	entered := make(chan struct{})
	url, stop := serving(t, gate.Listen{Grace: 20 * time.Millisecond}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(entered)
		<-r.Context().Done()
	}))
	go func() {
		if res, err := http.Post(url, "text/plain", http.NoBody); err == nil {
			res.Body.Close()
		}
	}()
	<-entered
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// A client that sends its body byte by byte is cut off.
func TestSlowBody(t *testing.T) {
	t.Parallel()
	url, stop := serving(t, gate.Listen{ReadTimeout: 50 * time.Millisecond}, echo)
	defer func() { _ = stop() }()
	var d net.Dialer
	conn, err := d.DialContext(t.Context(), "tcp", strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/mcp"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"); err != nil {
		t.Fatal(err)
	}
	if err := conn.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(conn)
	if err != nil {
		t.Fatalf("still connected: %v", err)
	}
	if bytes.Contains(b, []byte("hello")) {
		t.Errorf("it was answered: %s", b)
	}
}

func TestTLSAndMetrics(t *testing.T) {
	t.Parallel()
	cert, key, pool := certificate(t)
	free := freePort(t)
	url, stop := serving(t, gate.Listen{CertFile: cert, KeyFile: key, Metrics: free}, echo)
	if !strings.HasPrefix(url, "https://") {
		t.Fatal(url)
	}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}}}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != 200 {
		t.Errorf("over TLS: %d", res.StatusCode)
	}
	_, body := get(t, "http://"+free+"/metrics", nil)
	for _, want := range []string{`idem_mcp_tool_calls_total{outcome="answered",tool="idem_status"} 1`, "idem_mcp_tool_call_seconds_bucket", "idem_mcp_requests_running 0"} {
		if !strings.Contains(body, want) {
			t.Errorf("metrics lack %s:\n%s", want, body)
		}
	}
	if strings.Contains(body, "lovelace") {
		t.Error("metrics name a principal")
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	for name, l := range map[string]gate.Listen{"a certificate alone": {CertFile: cert}, "a key alone": {KeyFile: key}, "no certificate": {CertFile: key, KeyFile: key}} {
		g, err := gate.New(t.Context(), gate.Config{}, gate.NewRecord(zerolog.Nop()))
		if err != nil {
			t.Fatal(err)
		}
		l.Addr = "127.0.0.1:0"
		if err := g.Serve(t.Context(), l, echo, zerolog.Nop()); err == nil {
			t.Errorf("served with %s", name)
		}
	}
}

func freePort(t *testing.T) string {
	t.Helper()
	var lc net.ListenConfig
	l, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func certificate(t *testing.T) (certFile, keyFile string, pool *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	certFile, keyFile = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	certPEM := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	if err := os.WriteFile(certFile, certPEM, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), 0o600); err != nil {
		t.Fatal(err)
	}
	pool = x509.NewCertPool()
	pool.AppendCertsFromPEM(certPEM)
	return certFile, keyFile, pool
}
