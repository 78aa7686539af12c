-- A GPU and a call: its CPU time before the GPU's first activity, or after its last.
--
-- Lead-in is the time from the first CUDA call of the GPU's processes to the window, tail that from the window to
-- their last call. Each nanosecond is in exactly one row: that of the CUDA call that began first (then: ends last,
-- row) among those under way in any thread, or outside of calls. So the rows of a GPU sum to lead_in_ns and tail_ns
-- of gpu_time, which include the cost of contexts. Without recorded calls there are no rows.
-- Needs  _gpu_work_ids
-- Columns
--     gpu_id    BIGINT   -- Physical GPU.
--     kind      VARCHAR  -- lead_in or tail.
--     name      VARCHAR  -- The call's function; 'outside of calls'.
--     total_ns  BIGINT   -- Time.
--     count     BIGINT   -- Calls with some of it; 1 for all time outside of calls.
WITH stretch AS (
    SELECT
        gpu_window.gpu_id,
        unnest(['lead_in', 'tail']) AS kind,
        unnest([min(span.start_ns), any_value(gpu_window.end_ns)]) AS start_ns,
        unnest([any_value(gpu_window.start_ns), max(span.end_ns)]) AS end_ns
    FROM _gpu_window AS gpu_window
    INNER JOIN _gpu_process AS used ON gpu_window.gpu_id IS NOT DISTINCT FROM used.gpu_id
    INNER JOIN _process_api_span AS span ON used.process_id = span.process_id
    GROUP BY gpu_window.gpu_id
),

edge_call AS (
    SELECT
        stretch.gpu_id,
        stretch.kind,
        call.row_id,
        call.name_id,
        greatest(call.start_ns, stretch.start_ns) AS start_ns,
        least(call.end_ns, stretch.end_ns) AS end_ns
    FROM _api_call_ids AS call
    INNER JOIN _gpu_process AS used ON call.process_id = used.process_id
    INNER JOIN stretch ON used.gpu_id IS NOT DISTINCT FROM stretch.gpu_id
    WHERE call.start_ns < stretch.end_ns AND call.end_ns > stretch.start_ns
),

reached AS (
    SELECT
        *,
        max(end_ns) OVER (
            PARTITION BY gpu_id, kind
            ORDER BY start_ns ASC, end_ns DESC, row_id ASC
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) AS reach_ns
    FROM edge_call
),

piece AS (
    SELECT
        gpu_id,
        kind,
        name_id,
        end_ns - greatest(start_ns, coalesce(reach_ns, start_ns)) AS dur_ns
    FROM reached
    WHERE end_ns > greatest(start_ns, coalesce(reach_ns, start_ns))
),

covered AS (
    SELECT
        gpu_id,
        kind,
        sum(dur_ns)::BIGINT AS dur_ns
    FROM piece
    GROUP BY gpu_id, kind
),

edge AS (
    SELECT
        piece.gpu_id,
        piece.kind,
        coalesce(_api_name.name, 'unknown call') AS name,
        sum(piece.dur_ns)::BIGINT AS total_ns,
        count(*) AS count
    FROM piece
    LEFT JOIN _api_name ON piece.name_id = _api_name.id
    GROUP BY piece.gpu_id, piece.kind, coalesce(_api_name.name, 'unknown call')
    UNION ALL
    SELECT
        stretch.gpu_id,
        stretch.kind,
        'outside of calls' AS name,
        stretch.end_ns - stretch.start_ns - coalesce(covered.dur_ns, 0) AS total_ns,
        1 AS count
    FROM stretch
    LEFT JOIN covered ON stretch.gpu_id IS NOT DISTINCT FROM covered.gpu_id AND stretch.kind = covered.kind
)

SELECT *
FROM edge
WHERE total_ns > 0
ORDER BY gpu_id ASC, kind ASC, total_ns DESC, name ASC
