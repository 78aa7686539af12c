-- The launching thread is in CUDA calls nearly all the time, and the GPU waits for it.
--
-- At least 20 calls, in steps three, that do not wait for the GPU (launches, copies, queries) take over 90 % of the
-- part, and the GPU is idle for over 15 %: the number of calls limits the run. Calls that set up, allocate or load
-- kernels belong to other rules.
-- Needs  _idle_gap, _api_call_ids
-- Finding
--     says  The launching thread spends {call_ns} in {call_count} CUDA calls, most in {subject}; the GPU is idle for {total_ns}.
--     do if is_launch_bound  Make fewer, larger calls, or replay them as a CUDA graph: this saves the time of launch-bound, not more.
--     do  Make fewer, larger calls; replay them as a CUDA graph.
-- Columns
--     call_count       BIGINT   -- Calls.
--     call_ns          BIGINT   -- Time in them.
--     is_launch_bound  BOOLEAN  -- The short gaps of the part belong to launch-bound.
WITH call AS (
    SELECT
        part_id,
        thread_id,
        sum(total_ns) AS total_ns,
        sum(count) AS call_count,
        sum(CASE WHEN cause = 'launch' THEN count ELSE 0 END) AS launch_count,
        arg_max(name, row(total_ns, name)) AS name
    FROM part_call
    WHERE cause IN ('launch', 'other_cuda_api')
    GROUP BY part_id, thread_id
),

idle AS (
    SELECT
        part_id,
        sum(idle_ns)::BIGINT AS idle_ns
    FROM part_idle
    WHERE claim NOT IN ('once', 'allocation')
    GROUP BY part_id
)

SELECT
    part.part_id,
    part.gpu_id,
    call.name AS subject,
    idle.idle_ns AS total_ns,
    NULL::BIGINT AS saves_ns,
    'unknown' AS bound,
    'likely' AS certainty,
    false AS once,
    'launch' AS claims,
    call.call_count::BIGINT AS call_count,
    call.total_ns::BIGINT AS call_ns,
    bound.part_id IS NOT NULL AS is_launch_bound
FROM part
INNER JOIN call ON part.part_id = call.part_id
INNER JOIN idle ON part.part_id = idle.part_id
LEFT JOIN _launch_bound AS bound ON part.part_id = bound.part_id
WHERE
    part.kind IN ('series', 'rest', 'work')
    AND call.call_count >= CASE WHEN part.kind = 'series' THEN RECURRING_COUNT ELSE LAUNCH_GAP_COUNT END
    AND call.total_ns > API_SHARE * part.length_ns
    AND idle.idle_ns > LAUNCH_SHARE * part.length_ns
QUALIFY row_number() OVER (PARTITION BY part.part_id ORDER BY call.launch_count DESC, call.thread_id ASC) = 1
ORDER BY part.part_id
