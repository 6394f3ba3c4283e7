package history

import (
	"encoding/binary"
	"time"
)

// wire walks one protobuf message without copying. It exists because decoding
// whole messages copies every payload, which at level metadata must not happen
// and costs most of the time.
type wire struct {
	buf []byte
	bad bool
}

// Protobuf wire types.
const (
	wireVarint = 0
	wireI64    = 1
	wireLen    = 2
	wireI32    = 5
)

// next returns the next field: its number, its wire type, its varint value or
// its bytes. ok is false at the end or when the bytes are not a message (bad).
func (w *wire) next() (num, typ int, v uint64, b []byte, ok bool) {
	if len(w.buf) == 0 {
		return 0, 0, 0, nil, false
	}
	tag := w.varint()
	num, typ = int(tag>>3), int(tag&7)
	if w.bad || num <= 0 || tag>>3 > 1<<29-1 {
		return w.fail()
	}
	switch typ {
	case wireVarint:
		v = w.varint()
	case wireI64:
		b = w.take(8)
	case wireLen:
		n := w.varint()
		if n > uint64(len(w.buf)) {
			return w.fail()
		}
		b = w.take(int(n))
	case wireI32:
		b = w.take(4)
	default: // groups are not used by this schema
		return w.fail()
	}
	if w.bad {
		return w.fail()
	}
	return num, typ, v, b, true
}

func (w *wire) fail() (int, int, uint64, []byte, bool) {
	w.bad = true
	return 0, 0, 0, nil, false
}

func (w *wire) varint() uint64 {
	if len(w.buf) > 0 && w.buf[0] < 0x80 { // one byte, the common case
		v := uint64(w.buf[0])
		w.buf = w.buf[1:]
		return v
	}
	v, n := binary.Uvarint(w.buf)
	if n <= 0 {
		w.bad = true
		return 0
	}
	w.buf = w.buf[n:]
	return v
}

func (w *wire) take(n int) []byte {
	if n > len(w.buf) {
		w.bad = true
		return nil
	}
	b := w.buf[:n:n]
	w.buf = w.buf[n:]
	return b
}

// timestamp decodes a google.protobuf.Timestamp; ok is false when the bytes are
// not one.
func timestamp(b []byte) (t time.Time, ok bool) {
	var sec, nanos uint64
	w := wire{buf: b}
	for {
		num, typ, v, _, more := w.next()
		if !more {
			break
		}
		if typ == wireVarint && num == 1 {
			sec = v
		}
		if typ == wireVarint && num == 2 {
			nanos = v
		}
	}
	if w.bad || int64(nanos) < 0 || nanos > 999_999_999 {
		return time.Time{}, false
	}
	return time.Unix(int64(sec), int64(nanos)).UTC(), true
}
