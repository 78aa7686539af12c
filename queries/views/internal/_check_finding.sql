-- Rows of the export that a check found, one row per check.
--
-- The length of the capture bounds its times where the export has it. Migrations of unified memory (copy
-- kinds 11 to 13) have no launch and no stream; nodes of a graph name a stream that they do not wait for.
-- Needs  _timed_event
-- Columns
--     check_id    VARCHAR  -- The check.
--     _timed_event: source, row_id, start_ns, end_ns
--     before_ns   BIGINT   -- How long before its call GPU work starts; NULL of other checks.
WITH work_request_call AS (
    WITH kind AS (
        SELECT
            id,
            CASE
                WHEN regexp_matches(name, '^cu(da)?StreamBeginCapture') THEN 1
                WHEN regexp_matches(name, '^cu(da)?StreamEndCapture') THEN -1
                WHEN
                    regexp_matches(
                        name, '^cu(da)?(Launch(Kernel|CooperativeKernel$|Grid|$)|GraphLaunch$|Memcpy|Memset)'
                    )
                    THEN 0
            END AS opens
        FROM _api_cause
    ),

    known AS (
        SELECT
            call.*,
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

    SELECT known.*
    FROM known
    ASOF LEFT JOIN captured ON known.process_id = captured.process_id AND known.start_ns >= captured.start_ns
    WHERE known.opens = 0 AND coalesce(known.return_value, 0) = 0 AND coalesce(captured.captures, 0) <= 0
),

work AS (
    SELECT
        CASE kind
            WHEN 'kernel' THEN 'CUPTI_ACTIVITY_KIND_KERNEL'
            WHEN 'memcpy' THEN 'CUPTI_ACTIVITY_KIND_MEMCPY'
            WHEN 'memset' THEN 'CUPTI_ACTIVITY_KIND_MEMSET'
            ELSE 'CUPTI_ACTIVITY_KIND_GRAPH_TRACE'
        END AS source,
        *
    FROM _gpu_work_ids
    WHERE correlation_id IS NOT NULL AND (kind <> 'memcpy' OR coalesce(detail_id, 0) NOT IN (11, 12, 13))
),

repeated AS (
    SELECT
        process_id,
        correlation_id
    FROM _api_call_ids
    WHERE correlation_id IS NOT NULL
    GROUP BY process_id, correlation_id
    HAVING count(*) > 1
),

running AS (
    SELECT
        *,
        max(end_ns) OVER (
            PARTITION BY process_id, device_id, context_id, stream_id
            ORDER BY start_ns ASC, end_ns ASC
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) AS busy_until_ns
    FROM work
    WHERE graph_node_id IS NULL AND stream_id IS NOT NULL AND end_ns > start_ns
),

-- Read once for three checks: it is all that the export has.
suspect AS (
    SELECT
        event.*,
        event.end_ns < event.start_ns AS ends_before,
        event.start_ns < 0
        OR greatest(event.start_ns, event.end_ns)
        > (SELECT max(details.duration) FROM raw.ANALYSIS_DETAILS AS details) AS is_outside,
        event.name_id IS NOT NULL AND name.id IS NULL
        OR event.short_name_id IS NOT NULL AND short_name.id IS NULL AS is_nameless
    FROM _timed_event AS event
    LEFT JOIN string AS name ON event.name_id = name.id
    LEFT JOIN string AS short_name ON event.short_name_id = short_name.id
    WHERE ends_before OR is_outside OR is_nameless
),

found AS (
    -- noqa: disable=LT09
    SELECT 'end_before_start' AS check_id, * FROM suspect
    WHERE ends_before
    UNION ALL BY NAME
    SELECT 'outside_capture' AS check_id, * FROM suspect
    WHERE is_outside
    UNION ALL BY NAME
    SELECT 'name_without_text' AS check_id, * FROM suspect
    WHERE is_nameless
    UNION ALL BY NAME
    SELECT 'work_without_launch' AS check_id, work.* FROM work
    ANTI JOIN _unfiltered_api_call AS call
        ON work.process_id = call.process_id AND work.correlation_id = call.correlation_id
    WHERE EXISTS (SELECT 1 FROM _unfiltered_api_call)
    UNION ALL BY NAME
    SELECT 'work_before_call' AS check_id, call.start_ns - work.start_ns AS before_ns, work.* FROM work
    INNER JOIN _unfiltered_correlated_call AS call
        ON work.process_id = call.process_id AND work.correlation_id = call.correlation_id
    WHERE work.start_ns < call.start_ns
    UNION ALL BY NAME
    SELECT 'launch_without_work' AS check_id, 'CUPTI_ACTIVITY_KIND_RUNTIME' AS source, call.*
    FROM work_request_call AS call
    ANTI JOIN _unfiltered_gpu_work AS work
        ON call.process_id = work.process_id AND call.correlation_id = work.correlation_id
    UNION ALL BY NAME
    SELECT 'overlap_on_stream' AS check_id, * FROM running
    WHERE start_ns < busy_until_ns
    UNION ALL BY NAME
    SELECT 'repeated_correlation_id' AS check_id, 'CUPTI_ACTIVITY_KIND_RUNTIME' AS source, call.*
    FROM _api_call_ids AS call
    SEMI JOIN repeated ON call.process_id = repeated.process_id AND call.correlation_id = repeated.correlation_id
    UNION ALL BY NAME
    SELECT 'range_never_popped' AS check_id, 'NVTX_EVENTS' AS source, * FROM _nvtx_range_ids
    WHERE is_open AND style = 'PushPop'
    QUALIFY count(*) OVER (PARTITION BY thread_id) > 64
)

SELECT
    check_id,
    source,
    row_id,
    start_ns,
    end_ns,
    process_id,
    before_ns
FROM found
