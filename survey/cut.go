package survey

import "hash/crc32"

// Where a source's list is cut into stretches. A cut hangs on the run it stands
// behind and not on how many came before, so that a run which is added or purged
// moves no cut but those of its own stretch: what is known of the other stretches
// stays true. Partitions consist of whole stretches.
const (
	cutBits = 11             // a cut behind one run of 2,048, by chance
	cutMost = 4 << cutBits   // and behind so many at the latest
	cutMask = 1<<cutBits - 1 // of the digest
)

// cutter finds the cuts in a list. The zero value stands at the beginning of a
// stretch.
type cutter struct{ length int }

// after reports whether the list is cut behind the run at a place (placeOf), the
// next of the list.
func (c *cutter) after(place string) bool {
	// The place is a digest already; the checksum only makes bits of its letters.
	if c.length++; c.length < cutMost && crc32.ChecksumIEEE([]byte(place))&cutMask != 0 {
		return false
	}
	c.length = 0
	return true
}
