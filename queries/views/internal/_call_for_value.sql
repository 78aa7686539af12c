-- CUDA API calls, whether they wait for the GPU, and whether for a value: a copy of at most 64 bytes that they follow or make.
--
-- What counts is the last work that the thread launched before; if that call launched several copies, the largest.
-- Copies from the GPU to pageable memory wait whatever their call is named.
-- Needs  _api_call_ids
-- Columns
--     is_blocking   BOOLEAN  -- It waits for the GPU.
--     is_for_value  BOOLEAN  -- It waits for a value.
WITH waiting_copy AS (
    SELECT DISTINCT work.call_id
    FROM _part_activity AS work
    INNER JOIN memcpy AS copy ON work.row_id = copy.row_id
    WHERE work.kind = 'memcpy' AND copy.direction = 'Device-to-Host' AND copy.dst_kind = 'Pageable'
),

waiting AS (
    SELECT
        call.row_id,
        call.thread_id,
        call.start_ns
    FROM _api_call_ids AS call
    INNER JOIN _api_cause ON call.name_id = _api_cause.id
    LEFT JOIN waiting_copy ON call.row_id = waiting_copy.call_id
    WHERE
        (_api_cause.cause = 'sync' AND NOT _api_cause.is_launch)
        OR (_api_cause.is_copy AND waiting_copy.call_id IS NOT NULL)
),

asked AS (
    SELECT
        waiting.row_id,
        waiting.thread_id,
        work.api_start_ns
    FROM waiting
    ASOF INNER JOIN _part_activity AS work
        ON waiting.thread_id = work.thread_id AND waiting.start_ns >= work.api_start_ns
),

for_value AS (
    SELECT asked.row_id
    FROM asked
    INNER JOIN _part_activity AS work ON asked.thread_id = work.thread_id AND asked.api_start_ns = work.api_start_ns
    INNER JOIN memcpy AS copy ON work.row_id = copy.row_id
    WHERE work.kind = 'memcpy'
    GROUP BY asked.row_id
    HAVING max(copy.bytes) <= VALUE_BYTES
)

SELECT
    call.row_id,
    call.start_ns,
    call.dur_ns,
    call.thread_id,
    call.name_id,
    waiting.row_id IS NOT NULL AS is_blocking,
    for_value.row_id IS NOT NULL AS is_for_value
FROM _api_call_ids AS call
LEFT JOIN waiting ON call.row_id = waiting.row_id
LEFT JOIN for_value ON call.row_id = for_value.row_id
