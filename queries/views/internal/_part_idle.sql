-- Rows of the view part_idle, with the numbers of their steps.
--
-- Names are joined to sums by number: there are far fewer of them.
-- Needs  _idle_gap
-- Engine  table
-- Columns
--     usual: part_id, gpu_id
--     steps        VARCHAR  -- Numbers of the steady steps in which it occurs: the text of a list, in no order.
--     cause        VARCHAR  -- The cause; unified_memory if the host reads pages after the last kernel.
--     claim        VARCHAR  -- Which advice it is about.
--     is_long      BOOLEAN  -- In a gap of 200 us or more.
--     is_rare      BOOLEAN  -- In a step with over ten times as much idle time as the median step has.
--     thread_id    BIGINT   -- Thread that launched the next activity.
--     nvtx_path    VARCHAR  -- NVTX ranges that the thread was in before a launch, for 100 us or more: without operators' numbers, # for others; NULL after it.
--     function     VARCHAR  -- Function that the thread was in, by call stacks.
--     waits_for    VARCHAR  -- Thread or rank that it waited for.
--     call_name    VARCHAR  -- Call or function of the operating system that is the evidence.
--     drained_by   VARCHAR  -- Blocking call after which the queue was empty.
--     next_kind    VARCHAR  -- Kind of the activity that ended the gap.
--     idle_ns      BIGINT   -- Idle time.
--     gap_count    BIGINT   -- Gaps.
--     long_gaps    VARCHAR  -- Those of 200 us or more: the text of a list, in no order; NULL if shorter.
--     longest_ns   BIGINT   -- Most of it in one gap.
--     place_ns     BIGINT   -- Idle time in the function, by its share of the samples; else in these NVTX ranges, as a piece can be in several.
WITH label AS (
    SELECT
        path_number,
        text,
        min(path_number) OVER (PARTITION BY text) AS label_number  -- paths can differ in numbers alone
    FROM (
        SELECT
            path_number,
            nvtx_label(nvtx_path) AS text
        FROM _part_path_name
    ) AS named
),

-- Several numbers can have one name: without their suffixes.
name AS (
    SELECT
        id,
        name,
        min(id) OVER (PARTITION BY name) AS name_id
    FROM _api_cause
),

call AS (
    SELECT
        drain.row_id,
        any_value(name.name_id) AS name_id
    FROM _drain_call AS drain
    INNER JOIN name ON drain.name_id = name.id
    GROUP BY drain.row_id
),

-- Gaps in which the driver links code, or in several loads code that it was given: a compiler has just made it.
compiled AS (
    SELECT piece.gap_id
    FROM _idle_piece AS piece
    INNER JOIN name ON piece.evidence_name_id = name.id
    WHERE piece.cause = 'module_load' AND regexp_matches(name.name, '^cu(ModuleLoad|Link(Create|Add|Complete))')
    GROUP BY piece.gap_id
    QUALIFY bool_or(starts_with(any_value(name.name), 'cuLink')) OVER () OR count(*) OVER () >= RECURRING_COUNT
),

-- Causes with several pieces in a gap: these alone are summed by gap first, as a gap counts once.
several AS (
    SELECT DISTINCT
        gap_id,
        cause
    FROM _idle_piece
    WHERE NOT is_first
),

rare AS (
    SELECT
        gap.part_id,
        gap.step
    FROM _part_gap AS gap
    WHERE gap.step IS NOT NULL
    GROUP BY gap.part_id, gap.step
    QUALIFY sum(gap.gap_ns) > RARE_RATIO * median(sum(gap.gap_ns)) OVER (PARTITION BY gap.part_id)
),

summed AS (
    SELECT
        gap.part_id,
        gap.gpu_id,
        gap.step,
        piece.cause,
        gap.is_after_work,
        gap.drained_by_row IS NOT NULL AS is_drained,
        gap.gap_ns >= SHORT_GAP_NS AS is_long,
        compiled.gap_id IS NOT NULL AS is_compiled,
        gap.thread_id,
        label.label_number,
        place.function,
        _idle_wait.waits_for,
        name.name_id,
        call.name_id AS drain_name_id,
        gap.next_kind,
        several.gap_id,
        sum(least(piece.end_ns, gap.end_ns) - greatest(piece.start_ns, gap.start_ns)) AS idle_ns,
        sum(
            coalesce(
                place.share * (least(piece.end_ns, gap.end_ns) - greatest(piece.start_ns, gap.start_ns)),
                least(least(piece.end_ns, gap.end_ns) - greatest(piece.start_ns, gap.start_ns), path.path_ns)
            )
        ) AS place_ns,
        count(*) AS piece_count,
        max(least(piece.end_ns, gap.end_ns) - greatest(piece.start_ns, gap.start_ns)) AS longest_ns,
        list(gap.gap_id) FILTER (WHERE gap.gap_ns >= SHORT_GAP_NS AND several.gap_id IS NULL) AS gaps
    FROM _idle_piece AS piece
    INNER JOIN _part_gap AS gap
        ON piece.gap_id = gap.gap_id AND piece.start_ns < gap.end_ns AND piece.end_ns > gap.start_ns
    LEFT JOIN several ON piece.gap_id = several.gap_id AND piece.cause = several.cause
    LEFT JOIN compiled ON piece.gap_id = compiled.gap_id
    LEFT JOIN _part_path AS path ON piece.gap_id = path.gap_id AND piece.start_ns = path.piece_ns
    LEFT JOIN label ON path.path_number = label.path_number
    LEFT JOIN _idle_piece_function AS place ON piece.gap_id = place.gap_id AND piece.start_ns = place.piece_ns
    LEFT JOIN _idle_wait ON piece.evidence_table = _idle_wait.source AND piece.evidence_row_id = _idle_wait.row_id
    LEFT JOIN name ON piece.evidence_name_id = name.id
    LEFT JOIN call ON gap.drained_by_row = call.row_id
    GROUP BY ALL
),

idle AS (
    SELECT
        summed.part_id,
        summed.gpu_id,
        list(DISTINCT summed.step)::VARCHAR AS steps,
        summed.step IS NULL AS is_outside,
        CASE WHEN is_after_work AND is_host_work(cause) THEN 'unified_memory' ELSE cause END AS cause,
        is_drained,
        is_long,
        rare.step IS NOT NULL AS is_rare,
        is_compiled,
        thread_id,
        label_number,
        function,
        waits_for,
        name_id,
        drain_name_id,
        next_kind,
        sum(idle_ns)::BIGINT AS idle_ns,
        sum(place_ns)::BIGINT AS place_ns,
        sum(CASE WHEN gap_id IS NULL THEN piece_count ELSE 1 END)::BIGINT AS gap_count,
        flatten(list(coalesce(gaps, [gap_id])) FILTER (WHERE is_long))::VARCHAR AS long_gaps,
        max(CASE WHEN gap_id IS NULL THEN longest_ns ELSE idle_ns END)::BIGINT AS longest_ns
    FROM summed
    LEFT JOIN rare ON summed.part_id = rare.part_id AND summed.step = rare.step
    GROUP BY ALL
)

SELECT
    idle.part_id,
    idle.gpu_id,
    idle.steps,
    idle.cause,
    CASE
        WHEN idle.is_compiled AND is_host_work(idle.cause) THEN 'once'
        WHEN
            idle.is_outside AND idle.cause = 'host_code'
            AND (is_compilation(label.text) OR creates_library(coalesce(idle.function, label.text)))
            THEN 'once'
        ELSE claim_of(idle.cause, idle.is_drained, idle.is_long)
    END AS claim,
    idle.is_long,
    idle.is_rare,
    idle.thread_id,
    label.text AS nvtx_path,
    idle.function,
    idle.waits_for,
    name.name AS call_name,
    drain.name AS drained_by,
    idle.next_kind,
    idle.idle_ns,
    idle.gap_count,
    idle.long_gaps,
    idle.longest_ns,
    idle.place_ns
FROM idle
LEFT JOIN label ON idle.label_number = label.path_number
LEFT JOIN name ON idle.name_id = name.id
LEFT JOIN name AS drain ON idle.drain_name_id = drain.id
