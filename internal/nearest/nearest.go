// Package nearest finds the known name a misspelt one was probably meant to be.
package nearest

import "strings"

// Of returns the member of known closest to name, or "" when none is close: more
// than a third of the longer name would have to change. Case, "-", "_" and "."
// do not count as differences. The first of equally close names wins.
func Of(name string, known []string) string {
	best, cost := "", -1
	for _, k := range known {
		a, b := plain(name), plain(k)
		d := distance(a, b)
		if strings.Contains(b, a) && len(a) > 2 || strings.Contains(a, b) && len(b) > 2 {
			d = min(d, 1)
		}
		if d*3 <= max(len(a), len(b)) && (cost < 0 || d < cost) {
			best, cost = k, d
		}
	}
	return best
}

var folded = strings.NewReplacer("-", "", "_", "", ".", "", " ", "")

func plain(s string) string {
	s = folded.Replace(strings.ToLower(s))
	return s[:min(len(s), 64)]
}

// distance is Levenshtein's, over bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
