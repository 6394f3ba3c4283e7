-- Stretches of a source all of whose runs were read and written: as long as one is
-- listed with the same signature and its runs are linked to it, none of them is
-- looked at again. A run belongs to the stretch that met it last; one that lost a
-- run to another is not believed any more.
ALTER TABLE runs ADD COLUMN stretch BIGINT NOT NULL DEFAULT 0; -- 0: of a gone run, or of a source without marks
CREATE INDEX runs_stretch ON runs (stretch);

CREATE TABLE stretches (
	id        BIGINT NOT NULL PRIMARY KEY, -- a hash of where it was read, and by which survey
	source    TEXT   NOT NULL,
	app       TEXT   NOT NULL,            -- the scope it was read with: the list is of one app, if any
	workflow  TEXT   NOT NULL,
	created_from BIGINT NOT NULL,
	created_to   BIGINT NOT NULL,
	reader    INTEGER NOT NULL,           -- version of what was made of the runs
	signature TEXT   NOT NULL,            -- of the places and marks of its runs
	runs      BIGINT NOT NULL,            -- linked to it
	unended   BIGINT NOT NULL,            -- of those
	repeats   BIGINT NOT NULL,
	seen      BIGINT NOT NULL             -- seq of the last survey that met it
);
CREATE INDEX stretches_signature ON stretches (source, signature);

-- When a part last changed what is known of runs, in milliseconds; 0: never.
ALTER TABLE parts ADD COLUMN changed BIGINT NOT NULL DEFAULT 0;
