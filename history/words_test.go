package history

import (
	"math/rand/v2"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"
)

// expressions are those that failures are read with.
func expressions() map[string]func() *words {
	return map[string]func() *words{
		"neverSent": neverSent, "maySent": maySent, "serverError": serverError, "rejection": rejection, "statusCode": statusCode,
		"className": className, "smtpContext": smtpContext, "clientSide": clientSide,
	}
}

// Looking for strings first never misses a match: every string that an expression
// generates, at random and alone, holds one of those without which it is not tried.
func TestNeeds(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for name, lazy := range expressions() {
		w := lazy()
		if len(w.needs) == 0 {
			t.Errorf("%s: nothing is known of what it needs", name)
		}
		parsed, err := syntax.Parse(w.re.String(), syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		tried := 0
		for range 20_000 {
			var b strings.Builder
			generate(random, parsed, &b)
			text := "a " + b.String() + " z"
			if !w.re.MatchString(text) { // a word boundary that the neighbours spoil
				continue
			}
			if tried++; !w.may(text) {
				t.Fatalf("%s matches %q, which holds none of %q", name, text, w.needs)
			}
		}
		if tried < 10_000 {
			t.Errorf("%s: only %d strings that match", name, tried)
		}
	}
	if w := maySent(); w.may("insufficient funds on card 4000") {
		t.Errorf("%q is looked at: %q", "insufficient funds", w.needs)
	}
	for _, c := range []struct {
		expr string
		want []string
	}{
		{`e(?:of|pipe)`, []string{"eof", "epipe"}}, {`a.*bcd`, []string{"bcd"}}, {`x*`, nil}, {`(?i)abc`, nil}, {`ab?c|d`, []string{"ac", "abc", "d"}}, {`a|b*`, nil},
	} {
		got := lazily(c.expr)().needs
		slices.Sort(got)
		slices.Sort(c.want)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s needs %q, want %q", c.expr, got, c.want)
		}
	}
}

// generate writes a random string that re matches.
func generate(r *rand.Rand, re *syntax.Regexp, b *strings.Builder) {
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		i := r.IntN(len(re.Rune)/2) * 2
		lo, hi := re.Rune[i], min(re.Rune[i+1], re.Rune[i]+25)
		b.WriteRune(lo + rune(r.IntN(int(hi-lo)+1)))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte('q')
	case syntax.OpCapture, syntax.OpConcat:
		for _, sub := range re.Sub {
			generate(r, sub, b)
		}
	case syntax.OpAlternate:
		generate(r, re.Sub[r.IntN(len(re.Sub))], b)
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		least, most := 0, 3
		switch re.Op {
		case syntax.OpPlus:
			least = 1
		case syntax.OpQuest:
			most = 1
		case syntax.OpRepeat:
			least, most = re.Min, max(re.Min, min(re.Min+3, re.Max))
		}
		for range least + r.IntN(most-least+1) {
			generate(r, re.Sub[0], b)
		}
	}
}
