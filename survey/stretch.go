package survey

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"hash"
	"iter"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/clean"
)

const (
	lookUp     = 250 // runs looked up by one query
	passAtOnce = 32  // unchanged stretches noted together
)

// signature is a digest of the runs of a stretch and their marks. Of two listings of
// equal signature, nothing was written, added or purged between them.
type signature struct {
	sum   hash.Hash
	blind bool // something cannot be told by a mark
}

// add takes the next run. A place has a fixed length and a mark is one line.
func (s *signature) add(place, mark string) {
	if s.sum == nil {
		s.sum = sha256.New()
	}
	s.sum.Write([]byte(place + mark + "\n"))
	s.blind = s.blind || mark == ""
}

// text is empty where a later listing cannot be compared with this one.
func (s *signature) text() string {
	if s.blind || s.sum == nil {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(s.sum.Sum(nil)[:18])
}

// open is a stretch whose runs are being read. A nil one is of a source without
// marks.
type open struct {
	id     int64
	sign   *signature        // of the runs as they come; nil: of a listing, told below
	listed string            // the listing's
	marks  map[string]string // by cursor, of the listing
	cutter cutter
	seal   seal // so far
	unread bool
}

// seal is what is noted of a stretch when all of its runs are written. Nothing in
// it is believed unless so many runs are linked to the stretch.
type seal struct {
	id, repeats   int64
	signature     string
	runs, unended int
}

// begin goes on with the next stretch.
func (o *open) begin(id int64) {
	if o != nil {
		*o = open{id: id, sign: &signature{}}
	}
}

// blind notes that a run could not be read, so that the stretch has to be looked
// at again.
func (o *open) blind() {
	if o != nil {
		o.unread = true
	}
}

func (o *open) count(records []record) {
	if o == nil {
		return
	}
	for i := range records {
		o.seal.count(&records[i])
	}
}

func (s *seal) count(r *record) {
	if r.stretch == 0 {
		return
	}
	s.runs++
	s.repeats += int64(r.repeats)
	if !r.ended {
		s.unended++
	}
}

// close returns what is noted of the stretch; nil where nothing can be.
func (o *open) close() *seal {
	if o == nil || o.unread {
		return nil
	}
	o.seal.id, o.seal.signature = o.id, o.listed
	if o.sign != nil {
		o.seal.signature = o.sign.text()
	}
	if o.seal.signature == "" {
		return nil
	}
	s := o.seal
	return &s
}

// meet files a run that was read under its stretch, and reports whether the stretch
// ends with it, where it was not listed before.
func (p *pager) meet(o *open, run *history.Run, unlisted bool) (m met, cut bool) {
	m = met{run: run, mark: run.Mark}
	if o == nil {
		return m, false
	}
	if !unlisted {
		mark, listed := o.marks[run.Ref.Cursor()]
		if listed { // else it is new since, and of no stretch yet
			m.mark, m.stretch = cmp.Or(run.Mark, mark), o.id
		}
		return m, false
	}
	m.stretch = o.id
	place := placeOf(p.survey.Source, run.Ref)
	o.sign.add(place, run.Mark)
	cut = o.cutter.after(place)
	return m, cut || o.cutter.length == p.v.config.Page
}

// stretchAt names the stretch that begins behind the cursor. A page that runs twice
// gives it the same name.
func (p *pager) stretchAt() int64 { return p.stretchBehind(p.at.Cursor) }

func (p *pager) stretchBehind(cursor string) int64 {
	sum := sha256.Sum256([]byte(p.survey.ID + "\n" + p.survey.Source + "\n" + cursor))
	return max(int64(binary.BigEndian.Uint64(sum[:])>>1), 1)
}

// stretch is a part of a source between two cuts, as it was listed.
type stretch struct {
	open
	refs    []history.Ref // new, or other than the index has them
	known   []int64       // the runs that are as the index has them
	repeats int64         // of those
	last    string        // cursor of the last run
	count   int
	end     bool  // of the source
	passed  *seal // it is as it was
}

// lister walks a source's list of marks and is left standing between two stretches.
type lister struct {
	at    string // cursor of the last run it gave
	next  func() (history.Stamp, error, bool)
	leave func()
}

// from makes it go on behind a cursor.
func (l *lister) from(ctx context.Context, source history.Stamper, f history.Filter) {
	if l.next == nil || l.at != f.Cursor {
		l.close()
		l.at = f.Cursor
		l.next, l.leave = iter.Pull2(source.Stamps(ctx, f))
	}
}

func (l *lister) close() {
	if l.leave != nil {
		l.leave()
	}
	*l = lister{}
}

// stretch lists the next runs, up to a cut, and asks the index what it knows of them.
func (p *pager) stretch(ctx context.Context, source history.Stamper) (*stretch, error) {
	st := &stretch{open: open{id: p.stretchAt(), marks: map[string]string{}}, end: true}
	f := p.survey.Scope.filter()
	f.Cursor = p.at.Cursor
	p.list.from(ctx, source, f)
	var listed []history.Stamp
	var places []string
	var sign signature
	for {
		m, err, more := p.list.next()
		if err != nil {
			return nil, err
		}
		if !more {
			break
		}
		st.count++
		st.last = m.Ref.Cursor()
		p.list.at = st.last
		cut := false
		if m.Ref.App != OwnApp {
			place := placeOf(p.survey.Source, m.Ref)
			listed, places = append(listed, m), append(places, place)
			sign.add(place, m.Mark)
			cut = st.cutter.after(place) || st.cutter.length == p.v.config.Page
		}
		if cut || p.ends(st.last) {
			st.end = false
			break
		}
	}
	if st.listed = sign.text(); st.listed != "" {
		var err error
		if st.passed, err = p.v.index.sealed(ctx, p.survey, st.listed); err != nil || st.passed != nil {
			return st, err
		}
	}
	for _, m := range listed {
		st.marks[m.Ref.Cursor()] = m.Mark
	}
	for len(listed) > 0 {
		n := min(lookUp, len(listed))
		if err := p.sort(ctx, st, listed[:n], places[:n]); err != nil {
			return nil, err
		}
		listed, places = listed[n:], places[n:]
	}
	return st, nil
}

// sort files runs under what is known and what has to be read.
func (p *pager) sort(ctx context.Context, st *stretch, part []history.Stamp, places []string) error {
	marks := make(map[string]string, len(part))
	for i, m := range part {
		marks[places[i]] = m.Mark
	}
	have, err := p.v.index.unchanged(ctx, marks)
	if err != nil {
		return err
	}
	for i, m := range part {
		if k, ok := have[places[i]]; ok {
			st.known = append(st.known, k.id)
			st.repeats += k.repeats
			continue
		}
		st.refs = append(st.refs, m.Ref)
	}
	return nil
}

// lookedUp is what the index has of a place.
type lookedUp struct{ id, repeats int64 }

// endedStatuses are those of which history.Status.Ended is true. A run that goes on
// is always read.
const endedStatuses = `('completed', 'failed', 'terminated', 'canceled')`

// unchanged returns the places whose run has ended and whose mark is the one given.
func (x *Index) unchanged(ctx context.Context, marks map[string]string) (out map[string]lookedUp, err error) {
	out = map[string]lookedUp{}
	args := []any{reader}
	for place, mark := range marks {
		if mark != "" {
			args = append(args, place)
		}
	}
	if len(args) == 1 {
		return out, nil
	}
	rows, err := x.db.QueryContext(ctx, `SELECT id, place, mark, repeats FROM runs WHERE reader = ? AND gone = 0 AND status IN `+endedStatuses+
		` AND place IN (?`+strings.Repeat(`, ?`, len(args)-2)+`)`, args...)
	if err != nil {
		return nil, indexFault("read", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var place, mark string
		var l lookedUp
		if err := rows.Scan(&l.id, &place, &mark, &l.repeats); err != nil {
			return nil, indexFault("read", err)
		}
		if mark == marks[place] {
			out[place] = l
		}
	}
	return out, indexFault("read", rows.Err())
}

// sealed returns the stretch of this signature if all that the survey asks for was
// read of it, and its runs are still linked to it.
func (x *Index) sealed(ctx context.Context, s Survey, signature string) (*seal, error) {
	found := &seal{signature: signature}
	from, to := millis(s.Scope.From), millis(s.Scope.To)
	err := x.db.QueryRowContext(ctx, `SELECT id, runs, unended, repeats FROM stretches WHERE source = ? AND signature = ? AND app = ? AND reader = ? AND (workflow = '' OR workflow = ?)
		AND created_from <= ? AND (created_to = 0 OR CAST(? AS BIGINT) <> 0 AND created_to >= ?) AND runs = (SELECT COUNT(*) FROM runs r WHERE r.stretch = stretches.id) ORDER BY seen DESC, id LIMIT 1`,
		s.Source, signature, s.Scope.App, reader, s.Scope.Workflow, from, to, to).Scan(&found.id, &found.runs, &found.unended, &found.repeats)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return found, indexFault("read", err)
}

// unended returns the runs of a stretch that had not ended, and their repeats.
func (x *Index) unended(ctx context.Context, id int64) (refs []history.Ref, repeats int64, err error) {
	rows, err := x.db.QueryContext(ctx, `SELECT app, run, location, repeats FROM runs WHERE stretch = ? AND status NOT IN `+endedStatuses+` ORDER BY id`, id)
	if err != nil {
		return nil, 0, indexFault("read", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var ref history.Ref
		var n int64
		if err := rows.Scan(&ref.App, &ref.Instance, &ref.Location, &n); err != nil {
			return nil, 0, indexFault("read", err)
		}
		refs, repeats = append(refs, ref), repeats+n
	}
	return refs, repeats, indexFault("read", rows.Err())
}

// follow brings the index up to date with a stretch and moves behind it.
func (p *pager) follow(ctx context.Context, st *stretch) error {
	if st.passed != nil {
		return p.pass(ctx, st)
	}
	if len(st.refs) > st.count/2 {
		return p.bulk(ctx, st.last, &st.open)
	}
	l := loaded{cursor: st.last}
	l.unchanged, l.stretch = st.known, st.id
	p.at.Repeats += st.repeats
	p.runs += st.count
	if err := p.each(ctx, &l, &st.open, st.refs); err != nil {
		return err
	}
	if st.open.unread = len(l.unread) > 0; !st.open.unread {
		st.open.seal = seal{runs: len(st.known), repeats: st.repeats}
		st.open.count(l.records)
		l.seal = st.open.close()
	}
	return p.advance(ctx, l)
}

// pass goes past a stretch that is as it was: only its runs that had not ended are
// read.
func (p *pager) pass(ctx context.Context, st *stretch) error {
	p.runs += st.count
	p.passed = append(p.passed, st.passed.id)
	l := loaded{cursor: st.last, passed: int64(st.passed.runs - st.passed.unended)}
	p.at.Repeats += st.passed.repeats
	if st.passed.unended > 0 {
		refs, repeats, err := p.v.index.unended(ctx, st.passed.id)
		if err != nil {
			return err
		}
		p.at.Repeats -= repeats
		st.open.id = st.passed.id
		for _, ref := range refs {
			st.marks[ref.Cursor()] = ""
		}
		if err := p.each(ctx, &l, &st.open, refs); err != nil {
			return err
		}
	} else if len(p.passed) < passAtOnce { // noted with the next
		p.at.Cursor = l.cursor
		p.at.Seen += l.passed
		return nil
	}
	return p.advance(ctx, l)
}

// each reads runs one by one, several at a time.
func (p *pager) each(ctx context.Context, l *loaded, o *open, all []history.Ref) error {
	type got struct {
		run *history.Run
		err error
	}
	for from := 0; from < len(all); from += chunk {
		refs := all[from:min(from+chunk, len(all))]
		results := make([]got, len(refs))
		g, each := errgroup.WithContext(ctx)
		g.SetLimit(p.v.config.Concurrency)
		for i, ref := range refs {
			g.Go(func() error {
				if err := p.v.limit.Wait(each); err != nil {
					return err
				}
				run, err := p.v.source.Run(each, ref)
				var skipped *history.Skipped
				if err != nil && !errors.As(passable(ref, err), &skipped) {
					return err
				}
				results[i] = got{run, err}
				return nil
			})
		}
		if err := g.Wait(); err != nil {
			return err
		}
		part := loaded{}
		scope := p.survey.Scope.filter()
		for i, r := range results {
			var skipped *history.Skipped
			switch {
			case r.err != nil && errors.As(passable(refs[i], r.err), &skipped):
				part.unread = append(part.unread, history.Skipped{What: skipped.What, Why: clean.Line(skipped.Why, 300), NoRun: skipped.NoRun})
			case r.run != nil && scope.Match(r.run.Header):
				m := met{run: r.run, mark: cmp.Or(r.run.Mark, o.marks[refs[i].Cursor()]), stretch: o.id}
				part.runs = append(part.runs, m)
			}
		}
		if err := p.analyze(ctx, &part); err != nil {
			return err
		}
		l.records, l.unread = append(l.records, part.records...), append(l.unread, part.unread...)
	}
	return nil
}
