-- A GPU and a call, thread, NVTX path, function or source line: the idle time attributed to it.
--
-- Each piece of a gap is attributed to the name of the row that is its evidence (api), the thread that launched the
-- work that ended the gap (thread), the NVTX ranges of that thread (nvtx; pieces are cut where a range begins or
-- ends), the function that the call stack of the evidence names (function), or a line as in the query lines (line).
-- Without such a stack the CPU samples of the thread within the piece count, each with an equal share. Pieces without
-- any of these are under NULL. The rows of a GPU sum to its idle time.
-- Needs  _idle_gap
-- Engine  skip _idle_piece_path, _nvtx_path unless $by = 'nvtx'; skip _idle_piece_place, _place unless $by = 'line'
-- Parameters
--     by           ENUM('api', 'thread', 'nvtx', 'function', 'line') = 'api'  -- What to group by.
--     exact_names  BIGINT = 50      -- Keep up to this many names exact; with more, numbers in names become #.
--     top          BIGINT = NULL    -- Groups to keep for each GPU, those with most idle time; NULL keeps all.
--     usual: gpu, start_ns, end_ns, per_process
-- Columns
--     gpu_id       BIGINT   -- Physical GPU.
--     name         VARCHAR  -- The call, thread, path, place or file:line; NULL for none.
--     main_cause   VARCHAR  -- The cause with most nanoseconds.
--     idle_ns      BIGINT   -- Idle nanoseconds attributed under it.
--     idle_pct     DOUBLE   -- Share of the GPU's idle time.
--     window_pct   DOUBLE   -- Share of the GPU's window.
--     piece_count  BIGINT   -- Pieces of gaps.
--     longest_ns   BIGINT   -- Most of it in one gap under one cause.
WITH piece AS (
    SELECT
        *,
        within_ns(start_ns, end_ns, $start_ns, $end_ns) AS dur_ns
    FROM _idle_piece
    WHERE is_asked(start_ns, end_ns, $start_ns, $end_ns, gpu_id, $gpu)
),

path_piece AS (
    SELECT
        piece.gpu_id,
        piece.gap_id,
        piece.cause,
        path.path_number AS key,
        sum(
            greatest(
                within_ns(
                    coalesce(path.start_ns, piece.start_ns), coalesce(path.end_ns, piece.end_ns),
                    $start_ns, $end_ns
                ),
                0
            )
        ) AS dur_ns
    FROM piece
    LEFT JOIN _idle_piece_path AS path ON piece.gap_id = path.gap_id AND piece.start_ns = path.piece_ns
    WHERE $by = 'nvtx'
    GROUP BY piece.gpu_id, piece.cause, piece.gap_id, piece.start_ns, path.path_number
),

call_function AS (
    SELECT
        source,
        row_id,
        function || ' (' || module || ')' AS place
    FROM _call_function
    WHERE $by = 'function' AND function IS NOT NULL
),

-- Running sums of a piece before and after each place, so that the whole nanoseconds of its places add up to it.
sampled AS (
    SELECT
        gap_id,
        piece_ns,
        place,
        sum(sample_count) OVER (PARTITION BY gap_id, piece_ns ORDER BY place ASC NULLS FIRST) AS upto_count,
        sample_count,
        sum(sample_count) OVER (PARTITION BY gap_id, piece_ns) AS all_count
    FROM _idle_piece_sample
    WHERE $by = 'function'
),

function_piece AS (
    SELECT
        piece.gpu_id,
        piece.gap_id,
        piece.cause,
        coalesce(call_function.place, sampled.place) AS place,
        CASE
            WHEN call_function.place IS NOT NULL OR sampled.gap_id IS NULL THEN piece.dur_ns
            ELSE
                piece.dur_ns * sampled.upto_count // sampled.all_count
                - piece.dur_ns * (sampled.upto_count - sampled.sample_count) // sampled.all_count
        END AS dur_ns
    FROM piece
    LEFT JOIN call_function
        ON piece.evidence_table = call_function.source AND piece.evidence_row_id = call_function.row_id
    LEFT JOIN sampled
        ON call_function.row_id IS NULL AND piece.gap_id = sampled.gap_id AND piece.start_ns = sampled.piece_ns
    WHERE $by = 'function'
),

line_part AS (
    SELECT
        piece.gpu_id,
        piece.cause,
        piece.gap_id,
        piece.start_ns,
        part.place_number,
        sum(within_ns(part.start_ns, part.end_ns, $start_ns, $end_ns)) AS dur_ns
    FROM piece
    INNER JOIN _idle_piece_place AS part ON piece.gap_id = part.gap_id AND piece.start_ns = part.piece_ns
    WHERE
        $by = 'line'
        AND is_within(part.start_ns, part.end_ns, $start_ns, $end_ns)
    GROUP BY piece.gpu_id, piece.cause, piece.gap_id, piece.start_ns, part.place_number
),

line_known AS (
    SELECT
        gap_id,
        start_ns,
        sum(dur_ns) AS dur_ns
    FROM line_part
    GROUP BY gap_id, start_ns
),

line_piece AS (
    SELECT
        gpu_id,
        gap_id,
        cause,
        place_number AS key,
        dur_ns
    FROM line_part
    UNION ALL
    SELECT
        piece.gpu_id,
        piece.gap_id,
        piece.cause,
        NULL AS key,
        piece.dur_ns - coalesce(line_known.dur_ns, 0) AS dur_ns
    FROM piece
    LEFT JOIN line_known ON piece.gap_id = line_known.gap_id AND piece.start_ns = line_known.start_ns
    WHERE $by = 'line' AND piece.dur_ns > coalesce(line_known.dur_ns, 0)
),

-- The group of each piece, as a number or as text.
keyed AS (
    SELECT
        gpu_id,
        gap_id,
        cause,
        CASE $by WHEN 'api' THEN evidence_name_id ELSE thread_id END AS key,
        dur_ns
    FROM piece
    WHERE $by IN ('api', 'thread')
    UNION ALL BY NAME
    SELECT *
    FROM path_piece
    WHERE dur_ns > 0
    UNION ALL BY NAME
    FROM function_piece
    UNION ALL BY NAME
    FROM line_piece
),

of_gap AS (
    SELECT
        gpu_id,
        cause,
        key,
        place,
        sum(dur_ns) AS idle_ns,
        count(*) AS piece_count
    FROM keyed
    GROUP BY gpu_id, gap_id, cause, key, place
),

key_sum AS (
    SELECT
        gpu_id,
        cause,
        key,
        place,
        sum(idle_ns) AS idle_ns,
        sum(piece_count) AS piece_count,
        max(idle_ns) AS longest_ns
    FROM of_gap
    GROUP BY gpu_id, cause, key, place
),

named AS (
    SELECT
        key_sum.* EXCLUDE (key, place),
        CASE $by
            WHEN 'api' THEN _api_name.name
            WHEN 'thread'
                THEN
                    tid_of(key_sum.key)
                    || coalesce(' ' || thread_name.name, '')
                    || ' of process '
                    || pid_of(key_sum.key)
            WHEN 'nvtx' THEN _nvtx_path.nvtx_path
            WHEN 'function' THEN key_sum.place
            WHEN 'line' THEN
                CASE
                    WHEN _place.file IS NOT NULL
                        THEN _place.file || coalesce(':' || _place.line, '') || coalesce(' ' || _place.function, '')
                    ELSE coalesce(_place.function || ' (' || _place.module || ')', _place.function, _place.module)
                END
        END AS name
    FROM key_sum
    LEFT JOIN _api_name ON key_sum.key = _api_name.id AND $by = 'api'
    LEFT JOIN _thread_name AS thread_name ON key_sum.key = thread_name.thread_id AND $by = 'thread'
    LEFT JOIN _nvtx_path ON key_sum.key = _nvtx_path.path_number AND $by = 'nvtx'
    LEFT JOIN _place ON key_sum.key = _place.place_number AND $by = 'line'
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
    / (within_ns(gpu_window.start_ns, gpu_window.end_ns, $start_ns, $end_ns)) AS window_pct,
    grouped.piece_count,
    grouped.longest_ns::BIGINT AS longest_ns
FROM grouped
INNER JOIN _gpu_window AS gpu_window ON grouped.gpu_id IS NOT DISTINCT FROM gpu_window.gpu_id
QUALIFY
    $top IS NULL
    OR row_number() OVER (
        PARTITION BY grouped.gpu_id ORDER BY grouped.idle_ns DESC, grouped.name ASC NULLS FIRST
    ) <= $top
ORDER BY grouped.gpu_id ASC, grouped.idle_ns DESC, grouped.name ASC NULLS FIRST
