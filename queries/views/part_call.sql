-- CUDA calls of a part by thread and name: time, and what blocking calls waited for.
--
-- For processes that work on the GPU. A call is in the part in which it begins.
-- Needs  _api_call_ids
-- Engine  table
-- Columns
--     usual: part_id, gpu_id, process_id, thread_id
--     name            VARCHAR  -- Name without version suffix.
--     cause           VARCHAR  -- sync for blocking calls, launch, or the cause of idle time.
--     total_ns        BIGINT   -- Time.
--     count           BIGINT   -- Calls.
--     step_count      BIGINT   -- Steady steps in which it occurs.
--     value_count     BIGINT   -- Blocking calls that follow, or make, a copy of at most 64 bytes.
--     value_ns        BIGINT   -- Time of these.
--     drain_count     BIGINT   -- Calls after which the GPU had nothing queued.
--     drain_ns        BIGINT   -- Time of these.
--     first_row_id    BIGINT   -- Position of the first in the export's table.
--     first_ns        BIGINT   -- Time of the first.
WITH name AS (
    SELECT
        id,
        name,
        CASE WHEN is_launch THEN 'launch' ELSE cause END AS cause
    FROM _api_cause
)

SELECT
    call.part_id,
    call.gpu_id,
    process_of(call.thread_id) AS process_id,
    call.thread_id,
    name.name,
    CASE WHEN call.is_blocking THEN 'sync' ELSE name.cause END AS cause,
    sum(call.total_ns)::BIGINT AS total_ns,
    sum(call.count)::BIGINT AS count,
    count(DISTINCT call.step) AS step_count,
    sum(call.value_count)::BIGINT AS value_count,
    sum(call.value_ns)::BIGINT AS value_ns,
    sum(call.drain_count)::BIGINT AS drain_count,
    sum(call.drain_ns)::BIGINT AS drain_ns,
    min(call.first_row_id) AS first_row_id,
    arg_min(call.first_ns, call.first_row_id) AS first_ns
FROM _part_call AS call
INNER JOIN name ON call.name_id = name.id
GROUP BY ALL
