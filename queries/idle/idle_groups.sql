-- A GPU and a call, a thread, an NVTX path or a place in the source: the idle time booked under it.
--
-- A piece of a gap goes under the name of the row that is its evidence (api), the thread that launched what
-- ended the gap (thread), the NVTX ranges of that thread when the piece starts (nvtx), or the function that
-- the call stack of the evidence names, else that of the first CPU sample of the thread within the piece
-- (line). What has none goes under NULL. The rows of a GPU sum to its idle time.
-- Needs  idle_gap_record
-- Computed if
--     idle_path_record needed where $by = 'nvtx'
--     idle_path_name needed where $by = 'nvtx'
-- Parameters
--     by           ENUM('api', 'thread', 'nvtx', 'line') = 'api'  -- What to group by.
--     exact_names  BIGINT = 50      -- Up to so many names stay as they are; in more, each number becomes #.
--     top          BIGINT = NULL    -- Groups of each GPU with most idle time to keep; NULL keeps all.
--     gpu          BIGINT = NULL    -- Only this GPU.
--     start_ns     BIGINT = NULL    -- Narrow the window to what is at or after this time; gaps are clipped.
--     end_ns       BIGINT = NULL    -- Narrow the window to what is before this time; gaps are clipped.
--     per_process  BOOLEAN = false  -- Keep each process's devices apart; gpu_id is then pid * 1000 + ordinal.
-- Columns
--     gpu_id       BIGINT   -- Physical GPU.
--     name         VARCHAR  -- The call, thread, path or place; NULL for none.
--     main_cause   VARCHAR  -- The cause with most nanoseconds.
--     idle_ns      BIGINT   -- Idle nanoseconds booked under it.
--     idle_pct     DOUBLE   -- Share of the GPU's idle time.
--     window_pct   DOUBLE   -- Share of the GPU's window.
--     piece_count  BIGINT   -- Pieces of gaps.
--     longest_ns   BIGINT   -- Longest piece.
WITH piece AS (
    SELECT
        gpu_id,
        gap_id,
        cause,
        thread_id,
        evidence_table,
        evidence_row_id,
        evidence_name_id,
        start_ns AS whole_start_ns,
        end_ns AS whole_end_ns,
        least(end_ns, coalesce($end_ns, end_ns)) - greatest(start_ns, coalesce($start_ns, start_ns)) AS dur_ns
    FROM idle_piece_record
    WHERE
        start_ns < coalesce($end_ns, end_ns)
        AND end_ns > coalesce($start_ns, start_ns)
        AND ($gpu IS NULL OR gpu_id = $gpu)
),

call_group AS (
    SELECT
        gpu_id,
        cause,
        evidence_name_id,
        sum(dur_ns) AS idle_ns,
        count(*) AS piece_count,
        max(dur_ns) AS longest_ns
    FROM piece
    WHERE $by = 'api'
    GROUP BY gpu_id, cause, evidence_name_id
),

api_group AS (
    SELECT
        call_group.gpu_id,
        call_group.cause,
        api_name.name,
        call_group.idle_ns,
        call_group.piece_count,
        call_group.longest_ns
    FROM call_group
    LEFT JOIN api_name ON call_group.evidence_name_id = api_name.id
),

thread_name AS (
    SELECT
        thread_id,
        arg_min(name, row_id) AS name
    FROM thread
    GROUP BY thread_id
),

thread_group AS (
    SELECT
        piece.gpu_id,
        piece.cause,
        CASE
            WHEN piece.thread_id IS NOT NULL
                THEN
                    (piece.thread_id & 16777215)
                    || coalesce(' ' || any_value(thread_name.name), '')
                    || ' of process ' || ((piece.thread_id >> 24) & 16777215)
        END AS name,
        sum(piece.dur_ns) AS idle_ns,
        count(*) AS piece_count,
        max(piece.dur_ns) AS longest_ns
    FROM piece
    LEFT JOIN thread_name ON piece.thread_id = thread_name.thread_id
    WHERE $by = 'thread'
    GROUP BY piece.gpu_id, piece.cause, piece.thread_id
),

path_sum AS (
    SELECT
        piece.gpu_id,
        piece.cause,
        path.path_number,
        sum(piece.dur_ns) AS idle_ns,
        count(*) AS piece_count,
        max(piece.dur_ns) AS longest_ns
    FROM piece
    LEFT JOIN idle_path_record AS path
        ON
            piece.gap_id = path.gap_id
            AND piece.whole_start_ns = path.start_ns
    WHERE $by = 'nvtx'
    GROUP BY piece.gpu_id, piece.cause, path.path_number
),

path_group AS (
    SELECT
        path_sum.gpu_id,
        path_sum.cause,
        idle_path_name.nvtx_path AS name,
        path_sum.idle_ns,
        path_sum.piece_count,
        path_sum.longest_ns
    FROM path_sum
    LEFT JOIN idle_path_name ON path_sum.path_number = idle_path_name.path_number
),

called AS (
    SELECT
        'CUPTI_ACTIVITY_KIND_RUNTIME' AS source,
        row_id,
        callchain_id
    FROM api_call_record
    WHERE callchain_id > 0
    UNION ALL
    SELECT
        'OSRT_API' AS source,
        row_id,
        callchain_id
    FROM os_call_record
    WHERE callchain_id > 0
),

call_line AS (
    SELECT
        called.source,
        called.row_id,
        call_place.place
    FROM called
    INNER JOIN call_place
        ON
            called.source = call_place.source
            AND called.callchain_id = call_place.chain_id
    WHERE $by = 'line'
),

sampled AS (
    SELECT
        cpu_sample.thread_id,
        cpu_sample.start_ns,
        min(call_place.place) AS place
    FROM cpu_sample
    INNER JOIN call_place ON cpu_sample.chain_id = call_place.chain_id
    WHERE $by = 'line' AND call_place.source = 'COMPOSITE_EVENTS'
    GROUP BY cpu_sample.thread_id, cpu_sample.start_ns
),

line_group AS (
    SELECT
        piece.gpu_id,
        piece.cause,
        coalesce(
            call_line.place,
            CASE WHEN sampled.start_ns < piece.whole_end_ns THEN sampled.place END
        ) AS name,
        sum(piece.dur_ns) AS idle_ns,
        count(*) AS piece_count,
        max(piece.dur_ns) AS longest_ns
    FROM piece
    ASOF LEFT JOIN sampled
        ON
            piece.thread_id = sampled.thread_id
            AND piece.whole_start_ns <= sampled.start_ns
    LEFT JOIN call_line
        ON
            piece.evidence_table = call_line.source
            AND piece.evidence_row_id = call_line.row_id
    WHERE $by = 'line'
    GROUP BY ALL
),

named AS (
    SELECT * FROM api_group
    UNION ALL
    SELECT * FROM thread_group
    UNION ALL
    SELECT * FROM path_group
    UNION ALL
    SELECT * FROM line_group
),

numbered AS (
    SELECT
        * EXCLUDE (name),
        CASE
            WHEN $by <> 'nvtx' OR (SELECT count(DISTINCT other.name) FROM named AS other) <= $exact_names THEN name
            ELSE regexp_replace(name, '[0-9]+', '#', 'g')
        END AS name
    FROM named
),

by_cause AS (
    SELECT
        gpu_id,
        name,
        cause,
        sum(idle_ns) AS idle_ns,
        sum(piece_count) AS piece_count,
        max(longest_ns) AS longest_ns
    FROM numbered
    GROUP BY gpu_id, name, cause
),

grouped AS (
    SELECT
        by_cause.gpu_id,
        by_cause.name,
        arg_max(idle_cause.cause, (by_cause.idle_ns, -idle_cause.position)) AS main_cause,
        sum(by_cause.idle_ns)::BIGINT AS idle_ns,
        sum(by_cause.piece_count)::BIGINT AS piece_count,
        max(by_cause.longest_ns) AS longest_ns
    FROM by_cause
    INNER JOIN idle_cause ON by_cause.cause = idle_cause.cause
    GROUP BY by_cause.gpu_id, by_cause.name
)

SELECT
    grouped.gpu_id,
    grouped.name,
    grouped.main_cause,
    grouped.idle_ns,
    100 * grouped.idle_ns / sum(grouped.idle_ns) OVER (PARTITION BY grouped.gpu_id) AS idle_pct,
    100
    * grouped.idle_ns
    / (
        least(gpu_window.end_ns, coalesce($end_ns, gpu_window.end_ns))
        - greatest(gpu_window.start_ns, coalesce($start_ns, gpu_window.start_ns))
    ) AS window_pct,
    grouped.piece_count,
    grouped.longest_ns
FROM grouped
INNER JOIN gpu_window_record AS gpu_window ON grouped.gpu_id IS NOT DISTINCT FROM gpu_window.gpu_id
QUALIFY
    $top IS NULL
    OR row_number() OVER (
        PARTITION BY grouped.gpu_id ORDER BY grouped.idle_ns DESC, grouped.name ASC NULLS FIRST
    ) <= $top
ORDER BY grouped.gpu_id ASC, grouped.idle_ns DESC, grouped.name ASC NULLS FIRST
