package history_test

import (
	"testing"

	"github.com/idem-mcp/idem-mcp/history"
)

// TestClassify: what failures of many SDKs and providers say about the outside
// world.
func TestClassify(t *testing.T) {
	for _, c := range []struct {
		msg  string
		want history.Outcome
	}{
		// never got there
		{"dial tcp 10.0.3.17:8443: connect: connection refused", history.NotApplied},
		{"Post \"https://x/y\": dial tcp: lookup api.example: no such host", history.NotApplied},
		{"Post \"https://x/y\": dial tcp 10.0.0.1:443: i/o timeout", history.NotApplied},
		{"connect ECONNREFUSED 127.0.0.1:5432", history.NotApplied},
		{"getaddrinfo ENOTFOUND api.example", history.NotApplied},
		{"requests.exceptions.ConnectTimeout: HTTPSConnectionPool(host='x', port=443): Max retries exceeded (Caused by ConnectTimeoutError(…, 'Connection to x timed out. (connect timeout=5)'))", history.NotApplied},
		{"java.net.SocketTimeoutException: connect timed out", history.NotApplied},
		{"No connection could be made because the target machine actively refused it.", history.NotApplied},
		{"429 Too Many Requests", history.NotApplied},
		{"rpc error: code = Unavailable desc = connection error: desc = \"transport: Error while dialing: dial tcp 127.0.0.1:50001: connect: connection refused\"", history.NotApplied},
		{"deadlock detected", history.NotApplied},
		{"activity 'Ghost' is not registered", history.NotApplied},
		{"x509: certificate signed by unknown authority", history.NotApplied},
		// may have been applied
		{"context deadline exceeded (Client.Timeout exceeded while awaiting headers)", history.Unknown},
		{"java.net.SocketTimeoutException: Read timed out\n\tat java.base/sun.nio.ch.NioSocketImpl.timedRead(NioSocketImpl.java:288)", history.Unknown},
		{"read ECONNRESET", history.Unknown},
		{"read tcp 10.0.0.1:1->10.0.0.2:443: read: connection reset by peer", history.Unknown},
		{"socket hang up", history.Unknown},
		{"unexpected EOF", history.Unknown},
		{"System.Threading.Tasks.TaskCanceledException: The request was canceled due to the configured HttpClient.Timeout of 100 seconds elapsing.", history.Unknown},
		{"A task was canceled.", history.Unknown},
		{"503 Service Unavailable", history.Unknown},
		{"Request failed with status code 502", history.Unknown},
		{"System.Net.Http.HttpRequestException: Response status code does not indicate success: 500 (Internal Server Error).", history.Unknown},
		{"GDS 503: upstream connect error or disconnect/reset before headers", history.Unknown},
		{"ffmpeg exited with code 137 (SIGKILL)", history.Unknown},
		{"421 Service not available", history.Unknown},
		{"Traceback (most recent call last):\n  File \"/app/email.py\", line 541, in send\n    client.send_message(msg)\nsmtplib.SMTPDataError: (451, b'4.3.0 try again later')", history.Unknown},
		{"urllib3.exceptions.ReadTimeoutError: HTTPSConnectionPool(host='x', port=443): Read timed out. (read timeout=30)", history.Unknown},
		{"http.client.RemoteDisconnected: Remote end closed connection without response", history.Unknown},
		{"worker lost", history.Unknown},
		{"rpc error: code = DeadlineExceeded desc = context deadline exceeded", history.Unknown},
		{"attempt 1: connection refused; attempt 2: read timed out", history.Unknown},
		{"HTTP 408 Request Timeout", history.Unknown},
		{"charge of 429 EUR: gateway timeout", history.Unknown},
		// refused for good
		{"{\"error\":{\"type\":\"card_error\",\"code\":\"card_declined\",\"decline_code\":\"insufficient_funds\"}} (HTTP 402, request id req_9)", history.Rejected},
		{"ValidationError: 2 validation errors for OrderRequest\nquantity\n  Input should be greater than 0", history.Rejected},
		{"validation error: field timeout is required", history.Rejected},
		{"400 Bad Request", history.Rejected},
		{"Request failed with status code 404", history.Rejected},
		{"403 Forbidden", history.Rejected},
		{"550 5.1.1 mailbox unavailable", history.Rejected},
		{"pq: duplicate key value violates unique constraint \"orders_pkey\"", history.Rejected},
		{"item out of range: must be positive", history.Rejected},
		// the words do not tell
		{"boom", history.Unclear},
		{"ledger closed for period 2026-10", history.Unclear},
		{"Überweisung fehlgeschlagen: Empfängerbank nicht erreichbar", history.Unclear},
		{"", history.Unclear},
		{"line 503 of the import has no value", history.Unclear},
		{"order 404 could not be packed", history.Unclear},
	} {
		if got, from := history.Classify(&history.Failure{Type: "TimeoutError", Message: c.msg}); got != c.want {
			t.Errorf("%q: %s (read from %q), want %s", c.msg, got, from, c.want)
		}
	}
}

// TestClassifyNeverByTypeAlone: the type is the application's name for it.
func TestClassifyNeverByTypeAlone(t *testing.T) {
	for _, typ := range []string{"TimeoutException", "ValidationError", "ConnectionRefused", "HttpRequestException"} {
		if got, _ := history.Classify(&history.Failure{Type: typ, Message: "it did not work"}); got != history.Unclear {
			t.Errorf("type %s alone gave %s", typ, got)
		}
	}
}

// TestClassifyInner: an inner failure tells what the outer wraps, and the
// application's own "do not retry" counts only where no word does.
func TestClassifyInner(t *testing.T) {
	wrapped := &history.Failure{Message: "charge failed", Inner: &history.Failure{Message: "read timed out"}}
	if got, _ := history.Classify(wrapped); got != history.Unknown {
		t.Errorf("wrapped time-out: %s", got)
	}
	if got, from := history.Classify(&history.Failure{Message: "no", NonRetriable: true}); got != history.Rejected || from != "isNonRetriable" {
		t.Errorf("non-retriable: %s from %q", got, from)
	}
	if got, _ := history.Classify(&history.Failure{Message: "timed out", NonRetriable: true}); got != history.Unknown {
		t.Errorf("non-retriable time-out: %s", got)
	}
}
