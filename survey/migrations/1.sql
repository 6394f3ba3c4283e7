-- Times are milliseconds since 1970, 0 where none is known. {{id}} is an integer
-- key that the database fills in; {{clustered}} keeps a table in the order of its
-- key where the database can.
CREATE TABLE surveys (
	id        TEXT   NOT NULL PRIMARY KEY,
	seq       BIGINT NOT NULL UNIQUE,
	source    TEXT   NOT NULL,
	place     TEXT   NOT NULL,            -- the source as it is shown
	app       TEXT   NOT NULL,
	workflow  TEXT   NOT NULL,
	since     TEXT   NOT NULL,            -- as asked: "7d" is another time in every survey
	created_from BIGINT NOT NULL,
	created_to   BIGINT NOT NULL,
	state     TEXT   NOT NULL,            -- running, done, cancelled, failed
	reason    TEXT   NOT NULL DEFAULT '',
	stopping  INTEGER NOT NULL DEFAULT 0, -- somebody asked it to stop
	started   BIGINT NOT NULL,
	moved     BIGINT NOT NULL,            -- when it last wrote something
	ended     BIGINT NOT NULL DEFAULT 0,
	busy      BIGINT NOT NULL DEFAULT 0,  -- milliseconds spent reading
	pages     BIGINT NOT NULL DEFAULT 0,
	listed    BIGINT NOT NULL DEFAULT 0,  -- runs to read; 0: not known
	seen      BIGINT NOT NULL DEFAULT 0,  -- runs there, read or unchanged
	reads     BIGINT NOT NULL DEFAULT 0,  -- runs whose events were read
	repeats   BIGINT NOT NULL DEFAULT 0,  -- findings that are repeats
	gone      BIGINT NOT NULL DEFAULT 0,  -- runs in the index that the source no longer has
	partly    BIGINT NOT NULL DEFAULT 0   -- runs read only in part
);

CREATE TABLE runs (
	id        {{id}},
	place     TEXT   NOT NULL,            -- a hash of source, location, app, run id
	life      TEXT   NOT NULL,            -- a hash of execution id and generation
	source    TEXT   NOT NULL,
	location  TEXT   NOT NULL,
	app       TEXT   NOT NULL,
	run       TEXT   NOT NULL,
	execution TEXT   NOT NULL,
	generation BIGINT NOT NULL,
	length    BIGINT NOT NULL,            -- events of the history
	reader    INTEGER NOT NULL,           -- version of what was made of them
	workflow  TEXT   NOT NULL,
	status    TEXT   NOT NULL,
	created   BIGINT NOT NULL,
	repeats   INTEGER NOT NULL,
	shape     INTEGER NOT NULL,
	missing   TEXT   NOT NULL,            -- what could not be read of it
	mark      TEXT   NOT NULL,            -- what the source gave to tell a change by
	seen      BIGINT NOT NULL,            -- seq of the last survey that met it
	gone      BIGINT NOT NULL,            -- seq of the survey that no longer met it; 0: there
	UNIQUE (place, life)
);

CREATE TABLE tallies (
	run       BIGINT NOT NULL,
	activity  TEXT   NOT NULL,
	calls INTEGER NOT NULL, attempts INTEGER NOT NULL, retried INTEGER NOT NULL, after_unknown INTEGER NOT NULL,
	rejections INTEGER NOT NULL, inferred INTEGER NOT NULL, pending INTEGER NOT NULL, second_result INTEGER NOT NULL,
	unfinished INTEGER NOT NULL, lost INTEGER NOT NULL, marked INTEGER NOT NULL, reexecuted INTEGER NOT NULL,
	id_same INTEGER NOT NULL, id_changed INTEGER NOT NULL, id_missing INTEGER NOT NULL, id_lost INTEGER NOT NULL,
	id_with INTEGER NOT NULL, id_without INTEGER NOT NULL, id_origin INTEGER NOT NULL,
	gap BIGINT NOT NULL, last_seen BIGINT NOT NULL, last_repeat BIGINT NOT NULL,
	PRIMARY KEY (run, activity)
) {{clustered}};

-- Calls about which there is something to say; the others are only counted.
CREATE TABLE calls (
	run       BIGINT NOT NULL,
	call      TEXT   NOT NULL,
	activity  TEXT   NOT NULL,
	attempts  INTEGER NOT NULL,
	kinds     TEXT   NOT NULL,            -- of its findings
	first_at  BIGINT NOT NULL,
	last_at   BIGINT NOT NULL,
	PRIMARY KEY (run, call)
) {{clustered}};

-- What a survey met and could not read, or passed over because it is no run.
CREATE TABLE unread (
	survey    TEXT   NOT NULL,
	what      TEXT   NOT NULL,
	why       TEXT   NOT NULL,
	damaged   INTEGER NOT NULL,
	PRIMARY KEY (survey, what)
) {{clustered}};

-- What a survey of a source without a cheap cursor found in its list, until it ends.
CREATE TABLE listed (
	survey    TEXT   NOT NULL,
	place     TEXT   NOT NULL,            -- of source, location, app, run id
	ref       TEXT   NOT NULL,
	mark      TEXT   NOT NULL,
	PRIMARY KEY (survey, place)
) {{clustered}};

-- The sums of a survey that has ended.
CREATE TABLE sums (
	survey TEXT NOT NULL, app TEXT NOT NULL, workflow TEXT NOT NULL, day BIGINT NOT NULL, activity TEXT NOT NULL,
	runs BIGINT NOT NULL,
	calls BIGINT NOT NULL, attempts BIGINT NOT NULL, retried BIGINT NOT NULL, after_unknown BIGINT NOT NULL,
	rejections BIGINT NOT NULL, inferred BIGINT NOT NULL, pending BIGINT NOT NULL, second_result BIGINT NOT NULL,
	unfinished BIGINT NOT NULL, lost BIGINT NOT NULL, marked BIGINT NOT NULL, reexecuted BIGINT NOT NULL,
	id_same BIGINT NOT NULL, id_changed BIGINT NOT NULL, id_missing BIGINT NOT NULL, id_lost BIGINT NOT NULL,
	id_with BIGINT NOT NULL, id_without BIGINT NOT NULL, id_origin BIGINT NOT NULL,
	gap BIGINT NOT NULL, last_seen BIGINT NOT NULL, last_repeat BIGINT NOT NULL,
	PRIMARY KEY (survey, app, workflow, day, activity)
) {{clustered}};

CREATE TABLE sum_attempts (
	survey TEXT NOT NULL, app TEXT NOT NULL, workflow TEXT NOT NULL, day BIGINT NOT NULL, activity TEXT NOT NULL,
	attempts INTEGER NOT NULL,
	calls BIGINT NOT NULL,
	PRIMARY KEY (survey, app, workflow, day, activity, attempts)
) {{clustered}};
