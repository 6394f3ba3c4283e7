package tools

import (
	"fmt"
	"strings"

	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/review"
)

func (out *reviewPullRequestOut) summarize() string {
	n := out.Counts
	var parts []string
	say := func(n int, one, many string) {
		if n > 0 {
			parts = append(parts, plural(n, one, many))
		}
	}
	say(n.NewHazards, "new hazard", "new hazards")
	say(n.Worse, "existing hazard that is now retried", "existing hazards that are now retried")
	say(n.New, "new finding that is no hazard", "new findings that are no hazards")
	say(n.Fixed, "finding fixed", "findings fixed")
	say(n.Silenced, "finding silenced by a comment", "findings silenced by a comment")
	say(n.Unread, "finding not looked for again", "findings not looked for again")
	say(n.Existing-n.Worse, "existing finding in what it touches or affects", "existing findings in what it touches or affects")
	if n.NewHazards+n.Worse+n.New == 0 {
		parts = append([]string{"nothing new is visible"}, parts...)
	}
	return fmt.Sprintf("%s: %s; %d of %s touched or affected", out.Compared.PullRequest, strings.Join(parts, ", "), len(out.Activities), activities(out.Counts.Activities))
}

func activities(n int) string {
	if n == 1 {
		return "1 activity"
	}
	return fmt.Sprintf("%d activities", n)
}

// advise says what bounds the answer and what to ask next.
func (out *reviewPullRequestOut) advise(all []changedFinding) {
	if n := out.Counts.Elsewhere; n > 0 {
		out.NotVisible = append(out.NotVisible, plural(n, "existing finding", "existing findings")+" of activities that the change neither touches nor affects: idem_review_code lists them")
	}
	out.NotVisible = append(out.NotVisible,
		"what a call does that leaves this repository is known only for the libraries in the catalogue; the others are questions (verify)",
		"an edit of the line itself makes a finding new, and the one before fixed")
	for i := range all {
		if f := &all[i]; f.Status == review.New || f.Reached.Worse != "" {
			out.Next = append(out.Next, Next{Tool: "idem_explain", Arguments: map[string]string{"topic": f.Rule}, Why: "why this is a hazard, when it is fine, and what to write instead"},
				Next{Tool: "idem_find_duplicates", Arguments: map[string]string{}, Why: "whether histories show such activities being retried"})
			return
		}
	}
}

// take lists the findings from first on that fit.
func (out *reviewPullRequestOut) take(d Deps, in reviewPullRequestIn, all []changedFinding, first int) {
	budget := d.budget()
	if !d.Shell {
		if n := len(out.Skipped); n > 10 {
			out.Skipped = out.Skipped[:10]
			out.NotVisible = append(out.NotVisible, fmt.Sprintf("%d more files that were not reviewed are not listed", n-10))
		}
		if n := len(out.Activities); n > 25 {
			out.Activities = out.Activities[:25]
			out.NotVisible = append(out.NotVisible, fmt.Sprintf("%d more activities that the change touches or affects are not listed", n-25))
		}
		budget -= size(out) + 400
	}
	out.Activities, out.Skipped = list(out.Activities), list(out.Skipped)
	all = all[min(first, len(all)):]
	listed := all
	if in.Limit > 0 {
		listed = listed[:min(in.Limit, len(listed))]
	}
	n := fitting(len(listed), budget, func(i int) int { return size(listed[i]) })
	out.Findings = list(listed[:n])
	if n < len(all) {
		out.Truncated, out.Cursor = true, fmt.Sprintf("%s:%d", out.Compared.Head[:12], first+n)
		out.Narrow = fmt.Sprintf("%d of %d findings are listed, the new ones first; pass cursor for the rest.", first+n, first+len(all))
	}
}

func (out *reviewPullRequestOut) render(t *text) {
	t.line("%s", ended(out.Summary))
	from := ""
	if out.Compared.Fork != "" {
		from = ", from " + out.Compared.Fork
	}
	t.line("Head %s against %s, where the change starts%s; %s changed.", out.Compared.Head[:12], out.Compared.Base[:12], from, plural(out.Counts.Files, "file", "files"))
	if out.Compared.URL != "" {
		t.line("%s", out.Compared.URL)
	}
	// Names, paths and lines are the author's words: marked, and never followed.
	for i := range out.Findings {
		t.changedFinding(&out.Findings[i], out.detailed)
	}
	named := map[string]bool{}
	for i := range out.Findings {
		named[out.Findings[i].Activity] = true
	}
	var quiet []string
	for i := range out.Activities {
		if a := &out.Activities[i]; out.detailed || !named[a.Name] {
			quiet = append(quiet, fmt.Sprintf("%s (%s:%d), %s: %s", clean.Name(a.Name), clean.Name(a.File), a.Line, a.Verdict, a.Reached.Why))
		}
	}
	heading, limit := "Also touched or affected:", 5
	if out.detailed {
		heading, limit = "Touched or affected:", 1000
	}
	t.section(heading, quiet, limit)
	var skipped []string
	for _, s := range out.Skipped {
		skipped = append(skipped, clean.Name(s.File)+": "+s.Reason)
	}
	t.section("Not reviewed:", skipped, limit)
	t.closing(&out.Answer)
}

// changedFinding writes one finding. What the change did not bring is told in
// short; a cure is told once.
func (t *text) changedFinding(f *changedFinding, detailed bool) {
	mark := strings.ToUpper(string(f.Status))
	if f.Reached.Worse != "" {
		mark = "WORSE"
	}
	why := sentence(f.Reached.Why)
	t.line("\n%s %s %s, %s confidence, %s: %s", mark, f.Severity, f.Rule, f.Confidence, clean.Name(f.Activity), sentence(f.Message))
	if f.Status != review.New && f.Reached.Worse == "" && !detailed {
		t.line("  %s:%d  %s", clean.Name(f.File), f.Line, why)
		t.link(f.URL)
		return
	}
	t.line("  %s:%d  %s", clean.Name(f.File), f.Line, quoted(f.Quote, 160))
	t.link(f.URL)
	if f.Reached.Worse != "" {
		why = sentence(f.Reached.Why + ": " + f.Reached.Worse)
	}
	t.line("  %s", why)
	if f.Reached.File != "" {
		t.line("    %s:%d  %s", clean.Name(f.Reached.File), f.Reached.Line, quoted(f.Reached.Quote, 160))
		t.link(f.Reached.URL)
	}
	if cure := "  Instead: " + sentence(f.Fix); f.Fix != "" && !strings.Contains(t.String(), cure) {
		t.line("%s", cure)
	}
}

func (t *text) link(url string) {
	if url != "" {
		t.line("  %s", url)
	}
}
