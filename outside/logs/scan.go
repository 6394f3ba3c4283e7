package logs

import (
	"bytes"
	"context"
	"errors"
	"hash/maphash"
	"io"
)

// The buffer bounds memory and the length of a line: a longer one is passed over
// and counted.
const (
	blockSize = 1 << 20
	maxIDLen  = 512 // longer ids are looked for by parsing every line
)

// Byte classes of the scan.
const (
	hard  = 0 // ends a token
	plain = 1
	soft  = 2 // can be inside an id, and can also stand beside one
)

// finder finds lines that hold an id, without parsing any. Tokens are cut out of
// the raw bytes, filtered by length and a bloom filter, and looked up.
type finder struct {
	class   [256]byte
	lengths [maxIDLen + 1]bool
	seed    maphash.Seed
	bloom   []uint64
	mask    uint64
	known   func(token []byte) bool
	// odd: some id holds bytes that a log may write in several ways (a quote, a
	// space, a letter beyond ASCII), so every line is parsed.
	odd bool
	any bool
}

// newFinder looks for ids; known settles a hit of the filter.
func newFinder(ids func(func(string) bool), known func([]byte) bool) *finder {
	f := &finder{seed: maphash.MakeSeed(), known: known}
	for c := range f.class {
		switch {
		case c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '-', c == '_':
			f.class[c] = plain
		}
	}
	n := 0
	for id := range ids {
		n++
		f.learn(id)
	}
	f.any = n > 0
	size := 1024
	for size < n*16 {
		size *= 2
	}
	f.bloom, f.mask = make([]uint64, size/64), uint64(size-1)
	for id := range ids {
		f.mark(maphash.String(f.seed, id))
	}
	return f
}

// learn makes the bytes of an id part of tokens.
func (f *finder) learn(id string) {
	if len(id) == 0 || len(id) > maxIDLen {
		f.odd = f.odd || len(id) > 0
		return
	}
	f.lengths[len(id)] = true
	for i := range len(id) {
		switch c := id[i]; {
		case f.class[c] != hard:
		case bytes.IndexByte([]byte(".:/|@~+#$%*!"), c) >= 0:
			f.class[c] = soft
		default:
			f.odd = true
		}
	}
}

func (f *finder) mark(h uint64) {
	a, b := h&f.mask, (h>>32|h<<32)*0x9e3779b97f4a7c15>>1&f.mask
	f.bloom[a/64] |= 1 << (a % 64)
	f.bloom[b/64] |= 1 << (b % 64)
}

func (f *finder) maybe(h uint64) bool {
	a, b := h&f.mask, (h>>32|h<<32)*0x9e3779b97f4a7c15>>1&f.mask
	return f.bloom[a/64]>>(a%64)&1 != 0 && f.bloom[b/64]>>(b%64)&1 != 0
}

func (f *finder) is(token []byte) bool {
	return len(token) <= maxIDLen && f.lengths[len(token)] && f.maybe(maphash.Bytes(f.seed, token)) && f.known(token)
}

// next returns the position after the first token of b that is an id, -1 when
// there is none.
func (f *finder) next(b []byte) int {
	for i := 0; i < len(b); {
		if f.class[b[i]] == hard {
			i++
			continue
		}
		start, seen := i, byte(0)
		for i < len(b) {
			c := f.class[b[i]]
			if c == hard {
				break
			}
			seen |= c
			i++
		}
		if f.is(b[start:i]) || seen&soft != 0 && f.inside(b[start:i]) {
			return i
		}
	}
	return -1
}

// maxParts bounds how many parts of a token between soft bytes are tried
// together: a long path or a dotted number is not an id.
const maxParts = 10

// inside tries the parts of a token between its soft bytes: "id:order-42" and
// "order-42." hold order-42, "order-42:0001" is an id of its own.
func (f *finder) inside(token []byte) bool {
	var cuts [maxParts + 2]int
	n := 1 // cuts[0] is 0
	for i, c := range token {
		if f.class[c] == soft {
			if n > maxParts {
				break
			}
			cuts[n] = i + 1
			n++
		}
	}
	for from := range n {
		for to := from; to < n; to++ {
			end := len(token)
			if to+1 < n {
				end = cuts[to+1] - 1
			}
			if end > cuts[from] && f.is(token[cuts[from]:end]) {
				return true
			}
		}
	}
	return false
}

// stats is what one pass over a stream met.
type stats struct {
	bytes, lines, hits, tooLong int64
}

// scan calls hit with every line that may concern an indexed run. The line is
// only valid during the call.
func (f *finder) scan(ctx context.Context, r io.Reader, buf []byte, hit func(line []byte)) (stats, error) {
	var st stats
	have := 0
	skipping := false // inside a line that is too long
	for {
		if err := ctx.Err(); err != nil {
			return st, err
		}
		n, err := io.ReadFull(r, buf[have:])
		st.bytes += int64(n)
		end := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		have += n
		block := buf[:have]
		if skipping {
			at := bytes.IndexByte(block, '\n')
			if at < 0 && !end {
				have = 0
				continue
			}
			block = block[max(at, 0):]
			if at < 0 {
				block = nil
			}
			skipping = false
		}
		whole := block
		if err == nil {
			last := bytes.LastIndexByte(block, '\n')
			if last < 0 { // not even one line ends in a full buffer
				st.tooLong++
				st.lines++
				skipping, have = true, 0
				continue
			}
			whole = block[:last+1]
		}
		f.block(whole, &st, hit)
		rest := block[len(whole):]
		have = copy(buf, rest)
		if end {
			return st, nil
		}
		if err != nil {
			return st, err
		}
	}
}

// block scans whole lines.
func (f *finder) block(b []byte, st *stats, hit func([]byte)) {
	st.lines += int64(bytes.Count(b, []byte{'\n'}))
	if len(b) > 0 && b[len(b)-1] != '\n' {
		st.lines++
	}
	if f.odd {
		for line := range bytes.Lines(b) {
			st.hits++
			hit(bytes.TrimRight(line, "\r\n"))
		}
		return
	}
	for len(b) > 0 {
		at := f.next(b)
		if at < 0 {
			return
		}
		from := bytes.LastIndexByte(b[:at], '\n') + 1
		to := len(b)
		if nl := bytes.IndexByte(b[at:], '\n'); nl >= 0 {
			to = at + nl
		}
		st.hits++
		hit(bytes.TrimRight(b[from:to], "\r"))
		b = b[min(to+1, len(b)):]
	}
}
