-- How far each partition of a survey is. Part 0 is the listing of the source. The
-- numbers are absolute and only grow, so that a step which runs twice changes
-- nothing; those of a survey are their sums.
CREATE TABLE parts (
	survey    TEXT   NOT NULL,
	part      BIGINT NOT NULL,
	after_run TEXT   NOT NULL,            -- cursor behind which it begins; empty: the beginning
	last_run  TEXT   NOT NULL,            -- cursor of its last run; empty: the end of the source
	moved     BIGINT NOT NULL,
	busy      BIGINT NOT NULL,
	pages     BIGINT NOT NULL,
	listed    BIGINT NOT NULL,
	seen      BIGINT NOT NULL,
	reads     BIGINT NOT NULL,
	repeats   BIGINT NOT NULL,
	PRIMARY KEY (survey, part)
) {{clustered}};
