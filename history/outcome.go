package history

import (
	"strings"
)

// maxClassified bounds how much of an error text is read.
const maxClassified = 8 << 10

// The words that tell what a failure says about the outside world. Each list is
// matched on the text in lower case; what stands first in the list of lists is
// taken out of the text before the next is tried, so that "dial tcp …: i/o
// timeout" is a connection that never stood, not a time-out after sending.
var (
	neverSent = lazily(`connection refused|econnrefused|actively refused|no such host|name or service not known|nodename nor servname|` +
		`temporary failure in name resolution|getaddrinfo|enotfound|eai_again|could not resolve|unknownhostexception|name resolution|dns lookup|` +
		`no route to host|ehostunreach|network is unreachable|enetunreach|dial (tcp|udp|unix)[^\n]{0,120}?i/o timeout|` +
		`connect(ion)?[ _-]?time(d)?[ _-]?out(?:exception|error)?|timed out connecting|connection to [^\n]{0,80}? timed out|timeout (?:while )?connecting|connect timed out|` +
		`x509:|certificate verify failed|tls handshake|ssl handshake|circuit[ _-]?breaker|circuit is open|brokencircuit|` +
		`\b429\b|too many requests|rate[ _-]?limit|throttl|quota exceeded|deadlock|could not serialize|serialization failure|` +
		`activity [^\n]{0,80}not registered|no activity [^\n]{0,80}registered|not registered|no such activity|activity [^\n]{0,80}not found`)
	maySent = lazily(`time(d)?[ _-]?out|etimedout|deadline[ _-]?exceeded|context cancel+ed|task(?: was)? cancel+ed|operation(?: was)? cancel+ed|request(?: was)? cancel+ed|` +
		`\bcancel+ed\b|aborterror|was aborted|connection (?:was )?(?:reset|closed|aborted|lost|dropped)|econnreset|econnaborted|reset by peer|disconnect/reset|socket hang up|` +
		`broken pipe|epipe|unexpected eof|\beof\b|remote end closed|remotedisconnected|premature|stream (?:closed|terminated|reset|error)|goaway|rst_stream|` +
		`worker (?:was )?lost|worker (?:has )?(?:died|crashed|stopped)|lost worker|sigkill|sigterm|exit(?:ed)?(?: with)?(?: code| status)? 1(?:37|43)|oom-?kill|out of memory|evicted|pod (?:was )?(?:deleted|killed)`)
	serverError = lazily(`internal server error|bad gateway|service unavailable|service not available|gateway time-?out|\bunavailable\b|try (?:again )?later|` +
		`temporarily|upstream connect error|overloaded`)
	rejection = lazily(`validation|invalid|not valid|malformed|declined|insufficient|not allowed|not permitted|forbidden|unauthori[sz]ed|unauthenticated|` +
		`permission denied|access denied|bad request|unprocessable|field required|is required|must be|must not|should be greater|out of range|unsupported|` +
		`already exists|duplicate key|not found|does not exist|rejected|refused by|expired card|card_error|blocked|business rule|constraint`)
	statusCode = lazily(`(?:^|\n)\s*([45]\d\d)\b|(?:status(?:[ _-]?code)?|http(?:/[\d.]+)?|code|error|response|returned|success|gds|smtp\w*)\W{0,6}(?:is|was|of)?\W{0,3}([45]\d\d)\b|` +
		`\(([45]\d\d)\b|\b([45]\d\d)[ :]+(?:[a-z'b]*)(?:service|bad|gateway|internal|not|forbidden|unauthori|conflict|payment|unprocess|request|mailbox|try|temporar)`)
	className   = lazily(`\b[a-z_][\w.$]*(?:exception|error)\b`)
	smtpContext = lazily(`smtp|mail|recipient|4\.\d\.\d|5\.\d\.\d|service not available|try (?:again )?later|greylist`)
)

// Classify reads a failure for the outside world and returns the words it was
// read from. The error's type alone never decides: it is the application's
// name for the failure, and the words are what the provider or the network said.
func Classify(f *Failure) (o Outcome, from string) {
	var text strings.Builder
	permanent := false
	for depth := 0; f != nil && depth < maxFailureDepth && text.Len() < maxClassified; depth++ {
		text.WriteString(telling(f.Message))
		text.WriteByte('\n')
		permanent = permanent || f.NonRetriable
		f = f.Inner
	}
	if o, from = classifyText(text.String()); o == Unclear && permanent {
		return Rejected, "isNonRetriable"
	}
	return o, from
}

// classifyText reads the text without the names of exception classes first:
// "SocketTimeoutException: connect timed out" is about connecting.
func classifyText(text string) (Outcome, string) {
	if len(text) > maxClassified {
		text = text[:maxClassified]
	}
	text = strings.ToLower(text)
	if o, from := classifyWords(className().blank(text)); o != Unclear {
		return o, from
	}
	return classifyWords(text)
}

func classifyWords(text string) (Outcome, string) {
	never := neverSent().find(text)
	rest := text
	if never != "" {
		rest = neverSent().blank(text)
	}
	sent := maySent().index(rest)
	refused := rejection().index(rest)
	code, codeWords := httpStatus(rest)
	switch {
	case sent != nil && (refused == nil || sent[0] < refused[0]) && !code.rejects():
		return Unknown, rest[sent[0]:sent[1]] // it wins over "refused": an earlier try may have got through
	case never != "":
		return NotApplied, never
	case code.rejects():
		return Rejected, codeWords
	case code.unknown():
		return Unknown, codeWords
	case refused != nil:
		return Rejected, rest[refused[0]:refused[1]]
	}
	if s := serverError().find(rest); s != "" {
		return Unknown, s
	}
	return Unclear, ""
}

// telling keeps the lines that say what happened: no stack frames, and of a
// Python traceback only its end.
func telling(msg string) string {
	if len(msg) > maxClassified {
		msg = msg[:maxClassified]
	}
	if i := strings.LastIndex(msg, "Traceback (most recent call last)"); i >= 0 {
		lines := strings.Split(msg[i:], "\n")
		for j := len(lines) - 1; j > 0; j-- {
			if l := lines[j]; l != "" && l[0] != ' ' && l[0] != '\t' {
				return msg[:i] + strings.Join(lines[j:], "\n")
			}
		}
	}
	if !strings.Contains(msg, "\n") {
		return msg
	}
	var b strings.Builder
	for line := range strings.SplitSeq(msg, "\n") {
		t := strings.TrimSpace(line)
		if strings.HasPrefix(t, "at ") || strings.HasPrefix(t, "File \"") || strings.HasPrefix(t, "... ") || strings.HasPrefix(t, "goroutine ") {
			continue
		}
		b.WriteString(line)
		b.WriteByte('\n')
	}
	return b.String()
}

// status is an HTTP or SMTP reply code found in a text; 0: none.
type status struct {
	code int
	smtp bool
}

func httpStatus(text string) (status, string) {
	m := statusCode().submatch(text)
	if m == nil {
		return status{}, ""
	}
	code := 0
	for _, g := range m[1:] {
		if g != "" {
			code = int(g[0]-'0')*100 + int(g[1]-'0')*10 + int(g[2]-'0')
		}
	}
	smtp := code == 421 || code == 450 || code == 451 || code == 452 || code >= 550 && code <= 556
	return status{code: code, smtp: smtp && (smtpContext().match(text) || code != 451)}, strings.TrimSpace(m[0])
}

// rejects: a permanent refusal. SMTP 55x is permanent; HTTP 4xx is, except for
// time-outs and "too early".
func (s status) rejects() bool {
	switch {
	case s.code == 0 || s.code == 408 || s.code == 425 || s.code == 499:
		return false
	case s.smtp:
		return s.code >= 500
	}
	return s.code < 500
}

// unknown: the server may have acted. SMTP 4xx is a temporary failure after the
// message may have been taken.
func (s status) unknown() bool {
	switch {
	case s.code == 0:
		return false
	case s.smtp:
		return s.code < 500
	case s.code == 408 || s.code == 499:
		return true
	}
	return s.code >= 500
}

// clientTimeout reports whether a failure is a time-out or cancellation on the
// caller's side, after which the attempt's own call may still be under way.
func clientTimeout(f *Failure) bool {
	for depth := 0; f != nil && depth < maxFailureDepth; depth++ {
		text := neverSent().blank(strings.ToLower(telling(f.Message)))
		if clientSide().match(text) {
			return true
		}
		f = f.Inner
	}
	return false
}

var clientSide = lazily(`time(d)?[ _-]?out|etimedout|deadline[ _-]?exceeded|cancel+ed|aborterror|was aborted`)
