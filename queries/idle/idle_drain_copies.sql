-- A kind of copy that a blocking call waited for when the GPU ran dry.
--
-- The copy is that of the call itself, or one whose call on the same thread returned at most 2 us before the blocking
-- call began, too short for a launch in between.
-- Needs  _idle_gap, memcpy
-- Parameters
--     start_ns     BIGINT = NULL    -- Only gaps at or after this time.
--     end_ns       BIGINT = NULL    -- Only gaps before this time.
--     usual: gpu, per_process
-- Columns
--     drained_by  VARCHAR  -- The blocking call, without suffix.
--     direction   VARCHAR  -- Direction, such as Host-to-Device.
--     memcpy: src_kind, dst_kind
--     calls       BIGINT   -- Blocking calls.
--     least       BIGINT   -- Bytes of the smallest copy.
--     most        BIGINT   -- Bytes of the largest.
WITH drain AS (
    SELECT call.*
    FROM _drain_call AS call
    SEMI JOIN _idle_gap AS gap
        ON
            call.gpu_id IS NOT DISTINCT FROM gap.gpu_id
            AND call.row_id = gap.drained_by_row
            AND is_within(gap.start_ns, gap.end_ns, $start_ns, $end_ns)
    WHERE $gpu IS NULL OR call.gpu_id = $gpu
),

asked AS (
    FROM _activity_launch
    WHERE kind = 'memcpy' AND thread_id IS NOT NULL
),

-- A copy that returned at most 2 us before is in the same slot of 2 us as the start of the call, or in the slot before.
near_in_time AS (
    SELECT
        *,
        unnest([start_ns // 2000, start_ns // 2000 - 1]) AS bucket
    FROM drain
),

copied AS (
    SELECT
        drain.gpu_id,
        drain.row_id,
        drain.name_id,
        asked.api_start_ns,
        asked.row_id AS copy_row_id
    FROM drain
    INNER JOIN asked ON drain.row_id = asked.call_id
    UNION ALL
    SELECT
        drain.gpu_id,
        drain.row_id,
        drain.name_id,
        asked.api_start_ns,
        asked.row_id AS copy_row_id
    FROM near_in_time AS drain
    INNER JOIN asked ON drain.thread_id = asked.thread_id AND drain.bucket = asked.api_end_ns // 2000
    WHERE drain.start_ns BETWEEN asked.api_end_ns AND asked.api_end_ns + 2000
),

last_copy AS (
    SELECT
        gpu_id,
        row_id,
        any_value(name_id) AS name_id,
        max_by(copy_row_id, (api_start_ns, copy_row_id)) AS copy_row_id
    FROM copied
    GROUP BY gpu_id, row_id
)

SELECT
    _api_cause.name AS drained_by,
    memcpy.direction,
    memcpy.src_kind,
    memcpy.dst_kind,
    count(*) AS calls,
    min(memcpy.bytes) AS least,
    max(memcpy.bytes) AS most
FROM last_copy
INNER JOIN memcpy ON last_copy.copy_row_id = memcpy.row_id
LEFT JOIN _api_cause ON last_copy.name_id = _api_cause.id
GROUP BY _api_cause.name, memcpy.direction, memcpy.src_kind, memcpy.dst_kind
ORDER BY calls DESC, drained_by ASC, memcpy.direction ASC, memcpy.src_kind ASC, memcpy.dst_kind ASC
