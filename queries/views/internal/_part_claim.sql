-- Idle time of a part by the rule that explains it, each nanosecond once.
--
-- Idle time after blocking calls belongs to the rules of synchronization (view _part_sync), except long host code and
-- waits, and except, where host code limits a loop, the share of short gaps that would be left without the calls. A cause
-- recurs if it occurs in half of the steps, or in several gaps of which none has over a third of it; without steps it
-- always does. Else it belongs to rare-gaps; so does one gap with over half of the time if the others recur. Time in which
-- another GPU has its turn (view _gpu_turn) does not count.
-- Needs  _idle_gap
-- Engine  table
-- Columns
--     usual: part_id, gpu_id
--     code         VARCHAR  -- The rule.
--     subject      VARCHAR  -- The call, function, thread or NVTX ranges with most of it; if not known, the subject of the rule.
--     subject_ns   BIGINT   -- Idle time of the subject.
--     is_function  BOOLEAN  -- The subject is a function, from call stacks.
--     is_known     BOOLEAN  -- Calls or events show for most of it what the thread waited for.
--     in_steps     BIGINT   -- Steps in which most of it occurs, or after which; 0 without steps.
--     idle_ns      BIGINT   -- Idle time.
--     gap_count    BIGINT   -- Gaps.
--     longest_ns   BIGINT   -- Most of it in one gap.
--     nvtx_path    VARCHAR  -- NVTX ranges with most of it.
WITH computing AS (  -- much host code in short gaps that are not launch-bound: a loop that waits, then computes
    SELECT idle.part_id
    FROM _part_idle AS idle
    INNER JOIN part ON idle.part_id = part.part_id
    LEFT JOIN _launch_bound AS bound ON idle.part_id = bound.part_id
    LEFT JOIN _part_work AS work ON idle.part_id = work.part_id
    LEFT JOIN _part_sync AS sync ON idle.part_id = sync.part_id AND idle.claim = 'sync' AND NOT idle.is_long
    WHERE
        idle.claim IN ('short', 'long', 'sync')
        AND idle.cause IN ('host_code', 'os_other')
        AND bound.part_id IS NULL
        AND work.is_blocking IS NOT true  -- launch-blocking has these gaps
    GROUP BY idle.part_id, part.length_ns
    HAVING
        sum(idle.idle_ns * coalesce(sync.left_share, 1)) > LAUNCH_SHARE * part.length_ns
        AND sum(idle.idle_ns * coalesce(sync.left_share, 1)) FILTER (WHERE NOT idle.is_long)
        > RARE_SHARE * part.length_ns
),

waited AS (  -- without the code of _part_sync: below, code is this view's
    SELECT
        part_id,
        left_share
    FROM _part_sync
),

piece AS (
    SELECT
        part.part_id,
        part.gpu_id,
        part.step_count,
        idle.steps::BIGINT[] AS steps,
        idle.is_rare,
        CASE
            WHEN idle.claim = 'profiler' THEN 'profiler'
            WHEN idle.claim = 'allocation' THEN 'allocation-per-step'
            WHEN
                (part.kind = 'series' OR recompiling.part_id IS NOT NULL)
                AND idle.claim = 'once' AND is_host_work(idle.cause)
                THEN 'recompilation'
            WHEN idle.cause = 'gil_wait' THEN 'gil'
            WHEN
                idle.claim IN ('long', 'sync', 'short') AND idle.cause IN ('host_code', 'os_other', 'os_wait_io')
                AND (is_output(idle.call_name) OR is_output(idle.function))
                THEN 'host-output'
            WHEN
                idle.claim IN ('long', 'sync', 'short') AND idle.cause IN ('host_code', 'os_other')
                AND is_collection(coalesce(idle.function, idle.nvtx_path))
                THEN 'gc-pauses'
            WHEN idle.cause = 'preempted' THEN 'preempted'
            WHEN idle.cause = 'os_sleep' THEN 'timer-sleep'
            WHEN
                idle.is_long AND (
                    (idle.claim = 'long' AND idle.cause IN ('other_cuda_api', 'graph_build', 'launch_call'))
                    OR (part.kind = 'series' AND idle.cause IN ('module_load', 'context_setup'))
                )
                THEN 'calls-per-step'
            WHEN
                (idle.claim = 'short' OR sync.left_share > 0)
                AND idle.cause IN ('host_code', 'os_other') AND computing.part_id IS NOT NULL
                AND (work.has_small_copies IS NOT true OR idle.next_kind <> 'memcpy')
                THEN 'host-code'
            WHEN
                idle.claim NOT IN ('long', 'sync') AND NOT (idle.claim = 'short' AND is_host_wait(idle.cause))
                THEN NULL
            WHEN idle.cause = 'waiting_for_thread' THEN 'waits-for-thread'
            WHEN NOT idle.is_long AND idle.claim <> 'short' THEN NULL
            WHEN idle.cause IN ('os_wait_io', 'os_wait_lock', 'blocked') AND idle.waits_for IS NULL THEN 'input-wait'
            WHEN idle.is_long AND idle.call_name = 'ioctl' THEN 'input-wait'  -- of a device: a camera, a disk
            WHEN
                idle.cause IN ('host_code', 'os_other') AND (is_loading(idle.function) OR is_loading(idle.nvtx_path))
                THEN 'input-wait'
            WHEN idle.cause IN ('host_code', 'os_other') THEN 'host-code'
        END AS code,
        idle.nvtx_path,
        idle.function,
        idle.call_name,
        idle.waits_for,
        idle.cause NOT IN ('blocked', 'host_code') OR is_loading(idle.nvtx_path) AS is_known,
        CASE WHEN code = 'host-code' THEN idle.idle_ns * coalesce(sync.left_share, 1) ELSE idle.idle_ns END::BIGINT
            AS idle_ns,
        CASE WHEN code = 'host-code' AND coalesce(idle.function, idle.nvtx_path) IS NOT NULL THEN idle.place_ns END
            AS place_ns,
        idle.gap_count,
        idle.long_gaps::BIGINT[] AS long_gaps,
        idle.longest_ns
    FROM part
    INNER JOIN _part_idle AS idle ON part.part_id = idle.part_id
    LEFT JOIN computing ON part.part_id = computing.part_id
    LEFT JOIN _recompiling_part AS recompiling ON part.part_id = recompiling.part_id
    LEFT JOIN _part_work AS work ON part.part_id = work.part_id
    LEFT JOIN waited AS sync ON part.part_id = sync.part_id AND idle.claim = 'sync' AND NOT idle.is_long
    WHERE part.kind IN ('series', 'rest', 'work')
),

label AS (
    SELECT
        part_id,
        code,
        CASE
            WHEN code = 'waits-for-thread' THEN coalesce(waits_for, call_name)
            WHEN code = 'host-code' THEN coalesce(function, nvtx_path, call_name)
            WHEN code = 'host-output' THEN coalesce(function, call_name, nvtx_path)
            WHEN code IN ('input-wait', 'timer-sleep', 'allocation-per-step', 'calls-per-step')
                THEN coalesce(call_name, nvtx_path)
        END AS subject,
        sum(least(idle_ns, place_ns)) AS subject_ns,
        bool_or(function IS NOT NULL) AS is_function
    FROM piece
    WHERE code IS NOT NULL
    GROUP BY ALL
),

most AS (
    SELECT
        part_id,
        code,
        arg_max(subject, row(subject_ns, subject)) AS subject,
        max(subject_ns) FILTER (WHERE subject IS NOT NULL) AS subject_ns,
        coalesce(
            arg_max(is_function, row(subject_ns, subject)) FILTER (WHERE subject IS NOT NULL), false
        ) AS is_function
    FROM label
    GROUP BY part_id, code
),

gap AS (
    SELECT DISTINCT
        part_id,
        code,
        unnest(long_gaps) AS gap_id
    FROM piece
),

longest AS (
    SELECT
        gap.part_id,
        gap.code,
        max(_part_gap.gap_ns, 2)[2] AS second_ns
    FROM _part_gap
    INNER JOIN gap ON _part_gap.part_id = gap.part_id AND _part_gap.gap_id = gap.gap_id
    GROUP BY gap.part_id, gap.code
),

-- A gap can have several pieces under one code: long gaps count once.
claim AS (
    SELECT
        piece.part_id,
        piece.gpu_id,
        CASE
            WHEN
                piece.code = 'waits-for-thread' AND any_value(most.subject) LIKE 'thread %'
                AND any_value(most.subject_ns) > 0.5 * sum(piece.idle_ns)
                AND sum(piece.gap_count)
                >= any_value(CASE WHEN piece.step_count IS NULL THEN PACED_COUNT ELSE RECURRING_COUNT END)
                AND sum(piece.idle_ns) > PACED_WAIT_NS * sum(piece.gap_count)
                THEN 'paced-by-thread'
            WHEN
                piece.step_count IS NULL
                OR len(list_distinct(flatten(list(piece.steps)))) >= STEPS_SHARE * piece.step_count
                OR (
                    sum(piece.gap_count) >= RECURRING_COUNT
                    AND max(piece.longest_ns) <= RECURRING_LONGEST_SHARE * sum(piece.idle_ns)
                )
                THEN piece.code
            WHEN piece.code <> 'profiler' THEN 'rare-gaps'
        END AS code,
        any_value(most.subject) AS known_subject,
        CASE piece.code
            WHEN 'profiler' THEN 'profiler'
            WHEN 'allocation-per-step' THEN 'allocation'
            WHEN 'recompilation' THEN 'compilation'
            WHEN 'calls-per-step' THEN 'CUDA calls'
            WHEN 'gil' THEN 'global interpreter lock'
            WHEN 'gc-pauses' THEN 'garbage collection'
            WHEN 'host-output' THEN 'output'
            WHEN 'host-code' THEN 'host code'
            WHEN 'timer-sleep' THEN 'sleep'
            WHEN 'preempted' THEN 'launching thread'
            WHEN 'waits-for-thread' THEN 'another thread'
            WHEN 'input-wait' THEN 'reason not recorded'
        END AS subject,
        piece.code AS own_code,
        piece.step_count,
        any_value(longest.second_ns) AS second_ns,
        any_value(most.subject_ns)::BIGINT AS subject_ns,
        any_value(most.is_function) AS is_function,
        2 * coalesce(sum(piece.idle_ns) FILTER (WHERE piece.is_known), 0) > sum(piece.idle_ns) AS is_known,
        CASE
            WHEN 2 * sum(piece.idle_ns) FILTER (WHERE piece.is_rare) > sum(piece.idle_ns)
                THEN len(list_distinct(flatten(list(piece.steps) FILTER (WHERE piece.is_rare))))
            ELSE len(list_distinct(flatten(list(piece.steps))))
        END AS in_steps,
        least(sum(piece.idle_ns), any_value(turn.none_ns))::BIGINT AS idle_ns,
        (
            coalesce(len(list_distinct(flatten(list(piece.long_gaps)))), 0)
            + coalesce(sum(piece.gap_count) FILTER (WHERE piece.long_gaps IS NULL), 0)
        )::BIGINT AS gap_count,
        max(piece.longest_ns)::BIGINT AS longest_ns,
        arg_max(piece.nvtx_path, row(piece.idle_ns, piece.nvtx_path)) AS nvtx_path
    FROM piece
    INNER JOIN most ON piece.part_id = most.part_id AND piece.code = most.code
    LEFT JOIN longest ON piece.part_id = longest.part_id AND piece.code = longest.code
    LEFT JOIN _gpu_turn AS turn ON piece.part_id = turn.part_id
    GROUP BY piece.part_id, piece.gpu_id, piece.code, piece.step_count
),

-- One gap with over half of the time, and others that recur.
judged AS (
    SELECT
        claim.*,
        coalesce(
            claim.step_count IS NOT NULL AND claim.own_code <> 'profiler'
            AND claim.longest_ns > RECURRING_LONGEST_SHARE * claim.idle_ns
            AND claim.longest_ns > RARE_SHARE * part.length_ns
            AND claim.second_ns <= RECURRING_LONGEST_SHARE * (claim.idle_ns - claim.longest_ns)
            AND claim.gap_count > RECURRING_COUNT,
            false
        ) AS has_pause,
        has_pause AND claim.subject_ns >= claim.longest_ns AS is_of_pause,
        claim.idle_ns - CASE WHEN has_pause THEN claim.longest_ns ELSE 0 END AS rest_ns
    FROM claim
    INNER JOIN part ON claim.part_id = part.part_id
)

SELECT
    part_id,
    gpu_id,
    CASE WHEN has_pause AND code = 'rare-gaps' THEN own_code ELSE code END AS code,
    coalesce(known_subject, subject) AS subject,
    CASE
        WHEN is_of_pause THEN subject_ns - longest_ns
        WHEN has_pause AND subject_ns > rest_ns THEN rest_ns  -- some of the pause
        ELSE subject_ns
    END AS subject_ns,
    is_function,
    is_known,
    in_steps - has_pause::BIGINT AS in_steps,
    rest_ns AS idle_ns,
    gap_count - has_pause::BIGINT AS gap_count,
    CASE WHEN has_pause THEN second_ns ELSE longest_ns END AS longest_ns,
    nvtx_path
FROM judged
UNION ALL
SELECT
    part_id,
    gpu_id,
    'rare-gaps' AS code,
    CASE WHEN is_of_pause THEN known_subject ELSE subject END AS subject,
    NULL AS subject_ns,
    false AS is_function,
    is_known,
    1 AS in_steps,
    longest_ns AS idle_ns,
    1 AS gap_count,
    longest_ns,
    nvtx_path
FROM judged
WHERE has_pause
