package review

import "context"

// Everything is Review with every file parsed.
func Everything(ctx context.Context, c Config) (Result, error) {
	c.everything = true
	return Review(ctx, c)
}
