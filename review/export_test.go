package review

import "context"

// Selective is Review that parses only what tells, of however few files.
func Selective(ctx context.Context, c Config) (Result, error) {
	c.many = 1
	return Review(ctx, c)
}
