-- Blocking calls of a part with the idle time that follows them, and which advice they are about.
--
-- Removing the calls saves at most the idle time after them, and at most the time in them. Calls for a value can be
-- removed, so all of it counts except long waits for something else, loading of data, and long host code in fewer than
-- half of the steps or in rare ones (view _part_idle); after other calls long host code does not count either, because
-- the host probably works on the results: such code and waits are findings themselves. If GPUs take turns (view
-- _gpu_turn), only time in which none computes counts.
-- Needs  _api_call_ids, _idle_gap
-- Engine  table
-- Columns
--     usual: part_id, gpu_id
--     name          VARCHAR  -- The call with most time, of those that the advice is about.
--     code          VARCHAR  -- sync-for-value, sync-each-launch or sync-per-step.
--     call_count    BIGINT   -- Blocking calls.
--     value_count   BIGINT   -- Those that wait for a copy of at most 64 bytes.
--     launch_count  BIGINT   -- Launches.
--     call_ns       BIGINT   -- Time in them.
--     idle_ns       BIGINT   -- Idle time after them, in short gaps only unless they wait for values.
--     launch_share  DOUBLE   -- Share of the short gaps after them that would remain without them; 0 if nearly each launch is followed by a call.
--     left_share    DOUBLE   -- Share of these gaps that would remain without them: the host has more to do than they take; 0 if they wait for values.
WITH call AS (
    SELECT
        part_id,
        gpu_id,
        arg_max(name, row(total_ns, name)) FILTER (WHERE cause = 'sync') AS name,
        arg_max(name, row(value_ns, name)) FILTER (WHERE value_count > 0) AS value_name,
        coalesce(sum(count) FILTER (WHERE cause = 'sync'), 0) AS call_count,
        coalesce(sum(value_count) FILTER (WHERE cause = 'sync'), 0) AS value_count,
        coalesce(sum(count) FILTER (WHERE cause = 'launch'), 0) AS launch_count,
        coalesce(sum(total_ns) FILTER (WHERE cause = 'sync'), 0) AS call_ns,
        coalesce(max(step_count) FILTER (WHERE cause = 'sync'), 0) AS step_count
    FROM part_call
    GROUP BY part_id, gpu_id
),

idle AS (
    SELECT
        idle.part_id,
        least(sum(idle.idle_ns), any_value(turn.none_ns)) AS idle_ns,
        coalesce(sum(idle.idle_ns) FILTER (WHERE idle.is_long AND is_host_work(idle.cause)), 0) AS long_ns,
        coalesce(sum(idle.idle_ns) FILTER (
            WHERE idle.is_long AND is_host_work(idle.cause) AND (
                is_host_wait(idle.cause) OR idle.is_rare OR is_loading(idle.function) OR is_loading(idle.nvtx_path)
            )
        ), 0) AS other_ns,
        len(list_distinct(flatten(list(idle.steps::BIGINT[]) FILTER (WHERE idle.is_long AND is_host_work(idle.cause)))))
            AS long_steps,
        sum(idle.gap_count) AS gap_count,
        max(idle.longest_ns) AS longest_ns
    FROM _part_idle AS idle
    LEFT JOIN _gpu_turn AS turn ON idle.part_id = turn.part_id
    WHERE idle.claim = 'sync'
    GROUP BY idle.part_id
),

-- Without a call the host gets ahead by the time in it.
ahead AS (
    SELECT
        part_id,
        sum(least(idle_ns, call_ns)) / sum(idle_ns) AS removed_share
    FROM (
        SELECT
            gap.part_id,
            sum(gap.end_ns - gap.start_ns) AS idle_ns,
            any_value(drain.end_ns - drain.start_ns) AS call_ns
        FROM _part_gap AS gap
        INNER JOIN _drain_call AS drain ON gap.drained_by_row = drain.row_id AND gap.gpu_id = drain.gpu_id
        WHERE gap.gap_ns < SHORT_GAP_NS
        GROUP BY gap.part_id, gap.drained_by_row
    ) AS drained
    GROUP BY part_id
),

coded AS (
    SELECT
        call.*,
        CASE
            WHEN call.value_count > VALUE_SHARE * call.call_count THEN 'sync-for-value'
            WHEN call.call_count >= SYNC_EACH_SHARE * call.launch_count THEN 'sync-each-launch'
            ELSE 'sync-per-step'
        END AS code,
        idle.idle_ns - CASE
            WHEN code = 'sync-for-value' AND NOT coalesce(idle.long_steps < STEPS_SHARE * part.step_count, false)
                THEN idle.other_ns
            ELSE idle.long_ns
        END AS after_ns,
        coalesce(ahead.removed_share, 0) AS removed_share
    FROM call
    INNER JOIN idle ON call.part_id = idle.part_id
    INNER JOIN part ON call.part_id = part.part_id
    LEFT JOIN ahead ON call.part_id = ahead.part_id
    WHERE
        part.kind IN ('series', 'rest', 'work')
        AND call.call_count >= CASE WHEN part.kind = 'series' THEN RECURRING_COUNT ELSE SYNC_COUNT END
        AND (
            part.step_count IS NULL
            OR call.step_count >= STEPS_SHARE * part.step_count
            OR (
                idle.gap_count >= SYNC_COUNT
                AND idle.longest_ns <= RECURRING_LONGEST_SHARE * idle.idle_ns
            )
        )
)

SELECT
    part_id,
    gpu_id,
    CASE WHEN code = 'sync-for-value' THEN value_name ELSE name END AS name,
    code,
    call_count::BIGINT AS call_count,
    value_count::BIGINT AS value_count,
    launch_count::BIGINT AS launch_count,
    call_ns::BIGINT AS call_ns,
    after_ns::BIGINT AS idle_ns,
    CASE WHEN code = 'sync-each-launch' THEN 0 ELSE 1 - removed_share END::DOUBLE AS launch_share,
    CASE WHEN code = 'sync-for-value' THEN 0 ELSE 1 - removed_share END::DOUBLE AS left_share
FROM coded
