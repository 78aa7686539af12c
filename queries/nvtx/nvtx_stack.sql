-- NVTX ranges open on a thread at a given time, outermost first.
--
-- Ranges that the thread opened itself, which began at or before the time and end after it; a range that was
-- never closed is open to the end.
-- Needs  NVTX_EVENTS
-- Parameters
--     moments    VARCHAR = '0'  -- Times, separated by commas.
-- Columns
--     moment_ns  BIGINT   -- The time.
--     usual: thread_id, pid, tid
--     depth      BIGINT   -- 1 for the outermost range.
--     name       VARCHAR  -- Text of the range; NULL if it has none.
--     start_ns   BIGINT   -- Start.
--     end_ns     BIGINT   -- End; NULL if it was never closed.
WITH moment AS (
    SELECT DISTINCT unnest(string_split($moments, ','))::BIGINT AS moment_ns
)

SELECT
    moment.moment_ns,
    around.thread_id,
    pid_of(around.thread_id) AS pid,
    tid_of(around.thread_id) AS tid,
    row_number() OVER (
        PARTITION BY moment.moment_ns, around.thread_id
        ORDER BY around.start_ns ASC, around.end_ns DESC, around.row_id ASC
    ) AS depth,
    coalesce(string.text, around.plain_text) AS name,
    around.start_ns,
    nullif(around.end_ns, 9223372036854775807) AS end_ns
FROM _nvtx_range_at_moments AS around
INNER JOIN moment ON around.start_ns <= moment.moment_ns AND around.end_ns > moment.moment_ns
LEFT JOIN string ON around.text_id = string.id
ORDER BY moment.moment_ns ASC, around.thread_id ASC, depth ASC
