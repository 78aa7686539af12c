-- Successful CUDA API calls that request GPU work: kernel and graph launches, memcpys, memsets.
--
-- Calls made while their process captured a graph are left out: they run nothing, they only record.
-- Needs  _api_call_ids
-- Columns
--     row_id          BIGINT  -- Position in the export's table of API calls.
--     start_ns        BIGINT  -- Start of the call.
--     end_ns          BIGINT  -- Return of the call.
--     process_id      BIGINT  -- Process (globalPid).
--     correlation_id  BIGINT  -- Shared with the work.
WITH kind AS (
    SELECT
        id,
        CASE
            WHEN regexp_matches(name, '^cu(da)?StreamBeginCapture') THEN 1
            WHEN regexp_matches(name, '^cu(da)?StreamEndCapture') THEN -1
            WHEN regexp_matches(name, '^cu(da)?(Launch(Kernel|CooperativeKernel$|Grid|$)|GraphLaunch$|Memcpy|Memset)')
                THEN 0
        END AS opens
    FROM _api_cause
),

known AS (
    SELECT
        call.row_id,
        call.start_ns,
        call.end_ns,
        call.process_id,
        call.correlation_id,
        call.return_value,
        kind.opens
    FROM _api_call_ids AS call
    INNER JOIN kind ON call.name_id = kind.id
    WHERE kind.opens IS NOT NULL
),

captured AS (
    SELECT
        process_id,
        start_ns,
        sum(opens) OVER (PARTITION BY process_id ORDER BY start_ns ASC, row_id ASC) AS captures
    FROM known
    WHERE opens <> 0
)

SELECT
    known.row_id,
    known.start_ns,
    known.end_ns,
    known.process_id,
    known.correlation_id
FROM known
ASOF LEFT JOIN captured
    ON
        known.process_id = captured.process_id
        AND known.start_ns >= captured.start_ns
WHERE known.opens = 0 AND coalesce(known.return_value, 0) = 0 AND coalesce(captured.captures, 0) <= 0
