package survey

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// counts are the numbers of a row that are exported, in order.
func (r *Row) counts() []struct {
	name, help string
	value      float64
} {
	seconds := func(t time.Time) float64 {
		if t.IsZero() {
			return 0
		}
		return float64(t.UnixMilli()) / 1000
	}
	return []struct {
		name, help string
		value      float64
	}{
		{"runs", "Runs with a call.", float64(r.Runs)},
		{"calls", "Calls.", float64(r.Calls)},
		{"attempts", "Recorded attempts of calls.", float64(r.Attempts)},
		{"retried", "Calls with several recorded attempts.", float64(r.Retried)},
		{"retried_after_unknown_outcome", "Calls retried after an attempt that may have been applied.", float64(r.AfterUnknown)},
		{"rejection_retried", "Calls retried after a failure that could never succeed.", float64(r.Rejections)},
		{"retry_pending", "Calls whose next attempt is set.", float64(r.Pending)},
		{"second_result", "Calls with two results for one attempt.", float64(r.SecondResult)},
		{"in_lost_turns", "Calls scheduled in a turn whose commit was lost.", float64(r.LostTurns)},
		{"reexecuted_by_rerun", "Calls executed again by a rerun.", float64(r.Reexecuted)},
		{"unfinished", "Calls without a result.", float64(r.Unfinished)},
		{"ids_same", "Retried calls whose task execution id stayed.", float64(r.IDs.Same)},
		{"ids_changed", "Retried calls whose task execution id changed.", float64(r.IDs.Changed)},
		{"ids_missing", "Retried calls without a task execution id.", float64(r.IDs.Missing)},
		{"longest_gap_seconds", "From the first to the last schedule of one call.", r.LongestGap.Seconds()},
		{"last_seen_timestamp_seconds", "Latest schedule.", seconds(r.LastSeen)},
		{"last_repeat_timestamp_seconds", "Latest schedule that was not a call's first.", seconds(r.LastRepeat)},
	}
}

// WriteCSV writes rows as CSV with a heading.
func WriteCSV(w io.Writer, rows []Row) error {
	out := csv.NewWriter(w)
	heading := []string{"app", "workflow", "day", "activity"}
	for _, c := range new(Row).counts() {
		heading = append(heading, c.name)
	}
	if err := out.Write(heading); err != nil {
		return err
	}
	for i := range rows {
		r := &rows[i]
		line := []string{cell(r.App), cell(r.Workflow), r.Day, cell(r.Activity)}
		for _, c := range r.counts() {
			line = append(line, strconv.FormatFloat(c.value, 'f', -1, 64))
		}
		if err := out.Write(line); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// cell keeps a name that an application wrote from being a spreadsheet's formula.
func cell(s string) string {
	if s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0])) {
		return "'" + s
	}
	return s
}

// WriteMetrics writes rows in the OpenMetrics text format, as gauges: an index is
// pruned and runs are purged, so counts can fall.
func WriteMetrics(w io.Writer, complete bool, started time.Time, rows []Row) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "# TYPE idem_survey_complete gauge\n# HELP idem_survey_complete 1 when the survey read all it was asked to.\nidem_survey_complete %d\n", flag(complete))
	fmt.Fprintf(b, "# TYPE idem_survey_started_timestamp_seconds gauge\n# HELP idem_survey_started_timestamp_seconds When the survey began.\nidem_survey_started_timestamp_seconds %d\n", started.Unix())
	for i, family := range new(Row).counts() {
		fmt.Fprintf(b, "# TYPE idem_survey_%s gauge\n# HELP idem_survey_%s %s\n", family.name, family.name, family.help)
		for j := range rows {
			r := &rows[j]
			fmt.Fprintf(b, "idem_survey_%s{%s} %s\n", family.name, labels(r), strconv.FormatFloat(r.counts()[i].value, 'f', -1, 64))
		}
	}
	b.WriteString("# EOF\n") //nolint:errcheck // Flush tells
	return b.Flush()
}

func labels(r *Row) string {
	escape := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)
	var parts []string
	for _, l := range [...][2]string{{"app", r.App}, {"workflow", r.Workflow}, {"day", r.Day}, {"activity", r.Activity}} {
		if l[1] != "" {
			parts = append(parts, l[0]+`="`+escape.Replace(l[1])+`"`)
		}
	}
	return strings.Join(parts, ",")
}
