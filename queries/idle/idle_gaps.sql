-- A gap: an interval in which a GPU runs nothing, with its nanoseconds by cause.
--
-- The GPU is busy while any kernel, memcpy, memset or CUDA graph traced as a whole runs, on any stream, context or
-- process; a gap is between two busy intervals. The activity that ends it was launched by some thread: each nanosecond
-- of the gap is attributed to one cause, from what that thread did before the launch, the launch call, and what the
-- GPU waited for after it (docs/idle.md). The causes of a gap sum to the gap.
-- Needs  _idle_gap
-- Engine  skip _idle_piece_path, _nvtx_path unless $paths
-- First  dur_ns, main_cause, gap_id, gpu_id, start_ns, nvtx_path, next_name
-- Parameters
--     min_gap_ns   BIGINT = 0       -- Shortest gap to list.
--     top          BIGINT = NULL    -- Longest gaps of each GPU to keep; NULL keeps all.
--     gap          BIGINT = NULL    -- Only the gap with this number.
--     usual: gpu, start_ns, end_ns, per_process
--     paths        BOOLEAN = true   -- Fill nvtx_path and drained_by_nvtx; false skips reading NVTX, the slowest step.
-- Columns
--     gpu_id           BIGINT   -- Physical GPU.
--     gap_id           BIGINT   -- Number of the gap in the export, for idle_pieces and --explain.
--     _idle_gap: start_ns, end_ns
--     dur_ns           BIGINT   -- How long the GPU was idle.
--     previous_name    VARCHAR  -- The last activity to end before the gap.
--     next_name        VARCHAR  -- The activity that ended the gap.
--     next_stream_id   BIGINT   -- Its stream.
--     thread_id        BIGINT   -- Thread that launched it (globalTid); NULL if not recorded.
--     usual: pid, tid
--     launch_name      VARCHAR  -- The launching call; NULL if not recorded.
--     nvtx_path        VARCHAR  -- NVTX ranges in which that thread spent most of its time before the launch, outermost first.
--     main_cause       VARCHAR  -- The cause with most nanoseconds.
--     drained_by       VARCHAR  -- The blocking call after which the GPU ran dry, without suffix; NULL if none.
--     drained_by_row   BIGINT   -- Its position in the table of calls.
--     drained_by_nvtx  VARCHAR  -- NVTX ranges of its thread at its start, outermost first.
--     is_after_work    BOOLEAN  -- All launched work is over, and the host reads unified memory: this gap cannot be removed.
--     CAUSE_ns         BIGINT   -- TITLE: MEANING.
WITH gap AS (
    SELECT
        gap_id,
        gpu_id,
        thread_id,
        greatest(start_ns, coalesce($start_ns, start_ns)) AS start_ns,
        least(end_ns, coalesce($end_ns, end_ns)) AS end_ns,
        within_ns(start_ns, end_ns, $start_ns, $end_ns) AS dur_ns
    FROM _idle_gap
    WHERE
        is_asked(start_ns, end_ns, $start_ns, $end_ns, gpu_id, $gpu)
        AND ($gap IS NULL OR gap_id = $gap)
),

-- The length of the last gap to keep on each GPU: shorter ones need no order. DuckDB finds at most a million.
enough AS (
    SELECT
        gpu_id,
        CASE
            WHEN $top BETWEEN 1 AND 999999 THEN list_min(max(dur_ns, if($top BETWEEN 1 AND 999999, $top, 1)))
            ELSE 0
        END AS least_ns
    FROM gap
    WHERE dur_ns >= $min_gap_ns
    GROUP BY gpu_id
),

-- Among equal gaps the earlier comes first.
longest AS (
    SELECT *
    FROM gap
    WHERE $top IS NULL AND dur_ns >= $min_gap_ns
    UNION ALL
    SELECT gap.*
    FROM gap
    INNER JOIN enough ON gap.gpu_id IS NOT DISTINCT FROM enough.gpu_id AND gap.dur_ns >= enough.least_ns
    WHERE $top IS NOT NULL AND gap.dur_ns >= $min_gap_ns
    QUALIFY
        row_number() OVER (
            PARTITION BY gap.gpu_id
            ORDER BY gap.dur_ns DESC, gap.gap_id ASC
        ) <= $top
),

booked AS (
    SELECT
        piece.gap_id,
        idle_cause.cause,
        idle_cause.position,
        sum(within_ns(piece.start_ns, piece.end_ns, $start_ns, $end_ns))::BIGINT AS dur_ns
    FROM _idle_piece AS piece
    INNER JOIN idle_cause ON piece.cause = idle_cause.cause
    WHERE
        is_within(piece.start_ns, piece.end_ns, $start_ns, $end_ns)
        AND piece.gap_id IN (SELECT longest.gap_id FROM longest)
    GROUP BY piece.gap_id, idle_cause.cause, idle_cause.position
),

-- One column for each cause; a gap has one row of it at most, which max picks in half the memory of a sum.
split AS (
    SELECT
        gap_id,
        coalesce(max(dur_ns) FILTER (WHERE cause = 'CAUSE'), 0) AS CAUSE_ns,
        -- The longest cause, of equals the first in the list of causes, in one number.
        100 - max(dur_ns * 100 + 100 - position) % 100 AS position
    FROM booked
    GROUP BY gap_id
),

-- The path before the launch counts, else that during it, else that after it.
stretch AS (
    SELECT
        piece.gap_id,
        record.path_number,
        coalesce(record.start_ns, piece.start_ns) AS start_ns,
        within_ns(
            coalesce(record.start_ns, piece.start_ns), coalesce(record.end_ns, piece.end_ns),
            longest.start_ns, longest.end_ns
        ) AS dur_ns,
        CASE
            WHEN piece.start_ns < coalesce(gap.launch_ns, piece.start_ns) THEN 1
            WHEN
                piece.cause NOT IN (
                    'graph_dependency',
                    'launch_batch',
                    'stream_wait',
                    'graph_launch',
                    'launch_latency',
                    'queued_unexplained'
                ) THEN 2
            ELSE 3
        END AS part
    FROM _idle_piece AS piece
    INNER JOIN longest ON piece.gap_id = longest.gap_id
    INNER JOIN _idle_gap AS gap ON piece.gap_id = gap.gap_id
    LEFT JOIN _idle_piece_path AS record ON piece.gap_id = record.gap_id AND piece.start_ns = record.piece_ns
    WHERE $paths
),

spent AS (
    SELECT
        gap_id,
        path_number,
        part,
        sum(dur_ns) AS dur_ns,
        min(start_ns) AS start_ns
    FROM stretch
    WHERE dur_ns > 0
    GROUP BY gap_id, path_number, part
),

path AS (
    SELECT
        spent.gap_id,
        _nvtx_path.nvtx_path
    FROM (
        SELECT *
        FROM spent
        QUALIFY
            row_number() OVER (PARTITION BY gap_id ORDER BY part ASC, dur_ns DESC, start_ns ASC) = 1
    ) AS spent
    INNER JOIN _nvtx_path ON spent.path_number = _nvtx_path.path_number
),

drain AS (
    SELECT
        row_id,
        any_value(name_id) AS name_id
    FROM _drain_call
    GROUP BY row_id
),

drain_path AS (
    SELECT
        record.drain_row,
        _nvtx_path.nvtx_path
    FROM _idle_piece_path AS record
    INNER JOIN _nvtx_path ON record.path_number = _nvtx_path.path_number
    WHERE $paths AND record.drain_row IS NOT NULL
)

SELECT
    gap.gpu_id,
    gap.gap_id,
    longest.start_ns,
    longest.end_ns,
    longest.dur_ns,
    previous.name AS previous_name,
    next.name AS next_name,
    gap.next_stream_id,
    gap.thread_id,
    pid_of(gap.thread_id) AS pid,
    tid_of(gap.thread_id) AS tid,
    _api_name.name AS launch_name,
    path.nvtx_path,
    idle_cause.cause AS main_cause,
    drain_name.name AS drained_by,
    gap.drained_by_row,
    drain_path.nvtx_path AS drained_by_nvtx,
    gap.is_after_work,
    split.* EXCLUDE (gap_id, position)
FROM longest
INNER JOIN _idle_gap AS gap ON longest.gap_id = gap.gap_id
INNER JOIN split ON longest.gap_id = split.gap_id
INNER JOIN idle_cause ON split.position = idle_cause.position
LEFT JOIN path ON longest.gap_id = path.gap_id
LEFT JOIN _activity_name AS previous
    ON gap.previous_kind = previous.kind AND gap.previous_detail_id = previous.detail_id
LEFT JOIN _activity_name AS next ON gap.next_kind = next.kind AND gap.next_detail_id = next.detail_id
LEFT JOIN _api_name ON gap.api_name_id = _api_name.id
LEFT JOIN drain ON gap.drained_by_row = drain.row_id
LEFT JOIN _api_cause AS drain_name ON drain.name_id = drain_name.id
LEFT JOIN drain_path ON gap.drained_by_row = drain_path.drain_row
ORDER BY longest.dur_ns DESC, gap.gpu_id ASC, longest.start_ns ASC
