-- [table]
CREATE TABLE IF NOT EXISTS intent_record (
  key         text PRIMARY KEY,
  status      text NOT NULL CHECK (status IN ('pending', 'succeeded', 'failed')),
  reference   text NOT NULL, -- what the provider can be searched for
  provider_id text,
  failure     text,
  transient   boolean NOT NULL DEFAULT false,
  changed_at  timestamptz NOT NULL DEFAULT now()
);
-- [/table]
-- [write]
-- Before the call, committed: one row changed means go on, none means read the row.
INSERT INTO intent_record (key, status, reference) VALUES ($1, 'pending', $2) ON CONFLICT (key) DO NOTHING;
-- On a repeat.
SELECT status, reference, provider_id, failure, transient FROM intent_record WHERE key = $1;
-- After the call, the one or the other.
UPDATE intent_record SET status = 'succeeded', provider_id = $2, changed_at = now() WHERE key = $1 AND status = 'pending';
UPDATE intent_record SET status = 'failed', failure = $2, transient = $3, changed_at = now() WHERE key = $1 AND status = 'pending';
-- A transient failure is taken up again by whoever changes one row.
UPDATE intent_record SET status = 'pending', changed_at = now() WHERE key = $1 AND status = 'failed' AND transient;
-- A scheduled job: kept longer than the longest-running workflow, and never a pending one.
DELETE FROM intent_record WHERE status <> 'pending' AND changed_at < now() - interval '90 days';
-- [/write]
