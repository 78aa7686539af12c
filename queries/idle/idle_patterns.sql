-- A pattern of gaps: the same previous and next activity and the same main cause, on one GPU.
--
-- Turns ten thousand gaps into ten lines. The main cause of a gap is the one with most of its time. Gaps below 100 ns
-- are tiny and counted separately: the shortest gap between two kernels or copies that we know of is 350 ns, while the
-- migrations of one page fault are recorded a nanosecond apart.
-- Needs  _idle_gap
-- Parameters
--     top          BIGINT = NULL    -- Patterns to keep for each GPU, those with most idle time; NULL keeps all.
--     usual: gpu, start_ns, end_ns, per_process
-- Columns
--     gpu_id         BIGINT   -- Physical GPU.
--     previous_name  VARCHAR  -- The last activity to end before the gaps.
--     next_name      VARCHAR  -- The activity that ended the gaps.
--     main_cause     VARCHAR  -- The cause with most nanoseconds.
--     gap_count      BIGINT   -- Gaps of the pattern, without tiny ones.
--     tiny_count     BIGINT   -- Gaps of the pattern below 100 ns.
--     idle_ns        BIGINT   -- Idle time of all of them.
--     median_gap_ns  DOUBLE   -- Median length, without tiny ones; NULL if there are no others.
--     mean_gap_ns    DOUBLE   -- Mean length, without tiny ones; NULL if there are no others.
--     longest_ns     BIGINT   -- Longest.
WITH cut AS (
    SELECT gap_id
    FROM _idle_gap
    WHERE
        ($start_ns IS NOT NULL OR $end_ns IS NOT NULL)
        AND within_ns(start_ns, end_ns, $start_ns, $end_ns) < end_ns - start_ns
),

-- A gap that is clipped has the main cause of the rest.
remaining AS (
    SELECT
        piece.gap_id,
        idle_cause.cause,
        idle_cause.position,
        sum(within_ns(piece.start_ns, piece.end_ns, $start_ns, $end_ns))::BIGINT AS dur_ns
    FROM _idle_piece AS piece
    INNER JOIN cut ON piece.gap_id = cut.gap_id
    INNER JOIN idle_cause ON piece.cause = idle_cause.cause
    WHERE is_within(piece.start_ns, piece.end_ns, $start_ns, $end_ns)
    GROUP BY piece.gap_id, idle_cause.cause, idle_cause.position
),

remaining_main AS (
    SELECT
        gap_id,
        arg_max(cause, (dur_ns, -position)) AS main_cause
    FROM remaining
    GROUP BY gap_id
),

gap AS (
    SELECT
        record.gpu_id,
        record.previous_kind,
        record.previous_detail_id,
        record.next_kind,
        record.next_detail_id,
        coalesce(remaining_main.main_cause, record.main_cause) AS main_cause,
        within_ns(record.start_ns, record.end_ns, $start_ns, $end_ns) AS gap_ns
    FROM _idle_gap AS record
    LEFT JOIN remaining_main ON record.gap_id = remaining_main.gap_id
    WHERE is_asked(record.start_ns, record.end_ns, $start_ns, $end_ns, record.gpu_id, $gpu)
),

pattern AS (
    SELECT
        * EXCLUDE (gap_ns),
        count(*) FILTER (WHERE gap_ns >= 100) AS gap_count,
        count(*) FILTER (WHERE gap_ns < 100) AS tiny_count,
        sum(gap_ns)::BIGINT AS idle_ns,
        median(gap_ns) FILTER (WHERE gap_ns >= 100) AS median_gap_ns,
        sum(gap_ns) FILTER (WHERE gap_ns >= 100) / nullif(count(*) FILTER (WHERE gap_ns >= 100), 0) AS mean_gap_ns,
        max(gap_ns) AS longest_ns
    FROM gap
    GROUP BY ALL
),

largest AS (
    SELECT pattern.*
    FROM pattern
    INNER JOIN idle_cause ON pattern.main_cause = idle_cause.cause
    QUALIFY
        $top IS NULL
        OR row_number() OVER (
            PARTITION BY pattern.gpu_id
            ORDER BY
                pattern.idle_ns DESC,
                idle_cause.position ASC,
                pattern.previous_kind ASC,
                pattern.previous_detail_id ASC,
                pattern.next_kind ASC,
                pattern.next_detail_id ASC
        ) <= $top
)

SELECT
    largest.gpu_id,
    previous.name AS previous_name,
    next.name AS next_name,
    largest.main_cause,
    largest.gap_count,
    largest.tiny_count,
    largest.idle_ns,
    largest.median_gap_ns,
    largest.mean_gap_ns,
    largest.longest_ns
FROM largest
LEFT JOIN _activity_name AS previous
    ON largest.previous_kind = previous.kind AND largest.previous_detail_id = previous.detail_id
LEFT JOIN _activity_name AS next ON largest.next_kind = next.kind AND largest.next_detail_id = next.detail_id
ORDER BY
    largest.idle_ns DESC,
    largest.gpu_id ASC,
    previous_name ASC NULLS FIRST,
    next_name ASC NULLS FIRST,
    main_cause ASC,
    largest.gap_count ASC,
    largest.tiny_count ASC
