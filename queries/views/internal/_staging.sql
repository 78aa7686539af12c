-- A time in which a thread moves data between the program's memory and a pinned buffer, outside of CUDA calls.
--
-- The OpenMP and OpenACC runtimes of NVIDIA's compilers do so before copies to the GPU, and when copies to the host are
-- over. Its pace shows it: before pinned copies of 64 kB or more to the GPU, at least three, their thread is in no call
-- for a time in proportion to the bytes, at the rate of a CPU that copies (1 to 30 bytes a ns): the quartiles are within a
-- factor of two of the median. Such times count whole, longer ones before copies to the GPU at the median rate.
-- Needs  _api_call_ids
-- Engine  table if EXISTS (FROM string WHERE regexp_matches(text, '^nvkernel_|_[0-9]+_gpu(__red)?(_[0-9]+)?$'))
-- Columns
--     row_id     BIGINT  -- The copy: its position in the export's table.
--     usual: start_ns, end_ns, thread_id
WITH copy AS (
    SELECT
        row_id,
        process_id,
        correlation_id,
        bytes,
        direction = 'Host-to-Device' AS is_upload
    FROM memcpy
    WHERE
        bytes >= SMALL_COPY_BYTES AND 'Pinned' IN (src_kind, dst_kind)
        AND direction IN ('Host-to-Device', 'Device-to-Host')
),

call AS (
    SELECT
        call.process_id,
        call.thread_id,
        call.start_ns,
        max(call.end_ns) OVER earlier AS free_ns,
        CASE
            WHEN copy.is_upload THEN copy
            WHEN lag(_api_cause.cause = 'sync') OVER earlier
                THEN last_value(CASE WHEN copy.bytes > 0 THEN copy END IGNORE NULLS) OVER earlier
        END AS moved,
        copy.is_upload AS is_before
    FROM _api_call_ids AS call
    LEFT JOIN copy ON call.process_id = copy.process_id AND call.correlation_id = copy.correlation_id
    LEFT JOIN _api_cause ON call.name_id = _api_cause.id
    WINDOW earlier AS (
        PARTITION BY call.thread_id ORDER BY call.start_ns, call.row_id
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    )
),

outside AS (  -- of calls, before a copy or after the wait for one
    SELECT
        call.process_id,
        call.thread_id,
        call.free_ns,
        call.start_ns AS end_ns,
        call.is_before,
        call.moved.row_id AS copy_id,
        call.moved.bytes AS copied_bytes,
        call.moved.is_upload AS goes_up,
        call.moved.bytes / (call.start_ns - call.free_ns) AS rate
    FROM call
    WHERE call.start_ns > call.free_ns
),

pace AS (
    SELECT
        process_id,
        quantile_cont(rate, [0.25, 0.5, 0.75]) AS quartiles,
        quartiles[2] AS rate
    FROM outside
    WHERE is_before
    GROUP BY process_id
    HAVING
        count(*) >= RECURRING_COUNT AND quartiles[2] BETWEEN 1 AND 30
        AND quartiles[1] > quartiles[2] / 2 AND quartiles[3] < quartiles[2] * 2
)

SELECT
    outside.copy_id AS row_id,
    CASE
        WHEN outside.rate < pace.rate / 2 THEN outside.end_ns - (outside.copied_bytes / pace.rate)::BIGINT
        ELSE outside.free_ns
    END AS start_ns,
    outside.end_ns,
    outside.thread_id
FROM outside
INNER JOIN pace ON outside.process_id = pace.process_id
WHERE
    outside.rate < 2 * pace.rate
    AND (outside.is_before OR (NOT outside.goes_up AND outside.rate > pace.rate / 2))
