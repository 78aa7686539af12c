-- CPU samples: one row per sampled thread and time.
--
-- Needs  COMPOSITE_EVENTS
-- Columns
--     chain_id   BIGINT  -- Its call stack (view call_site).
--     start_ns   BIGINT  -- Time.
--     thread_id  BIGINT  -- Thread (globalTid).
SELECT
    id AS chain_id,
    start AS start_ns,
    globalTid AS thread_id
FROM raw.COMPOSITE_EVENTS
