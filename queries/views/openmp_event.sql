-- OpenMP events, with their names as ids of `string`.
--
-- Needs  OPENMP_EVENT_KIND_TABLE
-- Columns
--     kind        VARCHAR  -- Such as parallel or sync_region_wait: NVIDIA's kind.
--     row_id      BIGINT   -- Position in the export's table of that kind.
--     usual: start_ns, end_ns, dur_ns, thread_id, process_id, pid, tid, name_id
WITH event AS (
    -- noqa: disable=LT09
    SELECT 'OPENMP_EVENT_KIND_TABLE' AS source, * FROM raw.OPENMP_EVENT_KIND_TABLE
)

SELECT
    lower(source[19:]) AS kind,
    rowid AS row_id,
    unnest(thread_times(start, "end", globalTid)) AS called,
    nameId AS name_id
FROM event
