package gate

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"time"

	"github.com/rs/zerolog"

	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// Listen says where to serve.
type Listen struct {
	Addr string // host:port
	// CertFile and KeyFile, both or none, make it serve TLS.
	CertFile, KeyFile string
	// Metrics is a second address for metrics alone; empty: none.
	Metrics string
	// ReadTimeout bounds how long a request's body may take; 0: a minute.
	ReadTimeout time.Duration
	// Grace is how long running requests may take to end after ctx is done; 0: ten
	// seconds.
	Grace time.Duration
	// Ready is told the address once it is listened on.
	Ready func(url string)
}

// Serve serves mcp behind the gate until ctx is done, then lets running requests
// end.
func (g *Gate) Serve(ctx context.Context, l Listen, mcp http.Handler, logger zerolog.Logger) error {
	if err := g.CheckAddress(l.Addr); err != nil {
		return err
	}
	tlsConfig, err := l.tls()
	if err != nil {
		return err
	}
	main, err := listen(ctx, l.Addr)
	if err != nil {
		return err
	}
	g.Loopback = isLoopback(l.Addr)
	scheme := "http"
	if tlsConfig != nil {
		main, scheme = tls.NewListener(main, tlsConfig), "https"
	}
	servers := []*http.Server{l.server(ctx, g.Wrap(mcp), logger)}
	listeners := []net.Listener{main}
	if l.Metrics != "" {
		m, err := listen(ctx, l.Metrics)
		if err != nil {
			_ = main.Close()
			return err
		}
		mux := http.NewServeMux()
		mux.Handle("GET /metrics", g.record.Metrics())
		servers, listeners = append(servers, l.server(ctx, mux, logger)), append(listeners, m)
	}
	if l.Ready != nil {
		l.Ready(scheme + "://" + main.Addr().String() + "/mcp")
	}
	return serveAll(ctx, servers, listeners, l.Grace)
}

func (l Listen) tls() (*tls.Config, error) {
	if l.CertFile == "" && l.KeyFile == "" {
		return nil, nil //nolint:nilnil // no TLS
	}
	if l.CertFile == "" || l.KeyFile == "" {
		return nil, &fault.Error{Kind: fault.Config, What: "TLS needs both a certificate and a key", Do: "Set serve.tls_cert and serve.tls_key"}
	}
	pair, err := tls.LoadX509KeyPair(l.CertFile, l.KeyFile)
	if err != nil {
		return nil, &fault.Error{Kind: fault.Config, What: "load the certificate of serve.tls_cert", Cause: err}
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}}, nil
}

func listen(ctx context.Context, addr string) (net.Listener, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", addr, err)
	}
	return l, nil
}

func (l Listen) server(ctx context.Context, h http.Handler, logger zerolog.Logger) *http.Server {
	read := l.ReadTimeout
	if read == 0 {
		read = time.Minute
	}
	// Requests outlive ctx by the grace time, so that they can end.
	base := context.WithoutCancel(ctx)
	return &http.Server{
		Handler: h, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: read, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		BaseContext: func(net.Listener) context.Context { return base }, ErrorLog: log.New(logger, "", 0),
	}
}

// serveAll serves until one server fails or ctx is done.
func serveAll(ctx context.Context, servers []*http.Server, listeners []net.Listener, grace time.Duration) error {
	if grace == 0 {
		grace = 10 * time.Second
	}
	ended := make(chan error, len(servers))
	for i := range servers {
		go func() { ended <- servers[i].Serve(listeners[i]) }()
	}
	var failed error
	running := len(servers)
	select {
	case failed = <-ended:
		running--
	case <-ctx.Done():
	}
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	for _, s := range servers {
		if err := s.Shutdown(limit); err != nil {
			_ = s.Close() // the grace time is over
		}
	}
	for range running {
		if err := <-ended; failed == nil && !errors.Is(err, http.ErrServerClosed) {
			failed = err
		}
	}
	if errors.Is(failed, http.ErrServerClosed) {
		return nil
	}
	return failed
}
