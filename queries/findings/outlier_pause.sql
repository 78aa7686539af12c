-- One pause that is longer than everything else together.
--
-- A gap of at least 10 ms, over half of the window and ten times as long as the next. The rest is judged without it.
-- Needs  _idle_gap
-- Finding
--     says  One pause of {total_ns} stands out, most of it {what}; the rest is judged without it.
--     do  nsysql idle-gaps --explain {gap_id} shows what the program did meanwhile.
-- Columns
--     what    VARCHAR  -- Cause with most of it.
--     gap_id  BIGINT   -- The gap.
WITH cause AS (
    SELECT
        idle.part_id,
        in_sentence(idle_cause.title) AS title,
        sum(idle.idle_ns) AS idle_ns
    FROM part_idle AS idle
    INNER JOIN idle_cause ON idle.cause = idle_cause.cause
    GROUP BY ALL
)

SELECT
    part.part_id,
    part.gpu_id,
    'pause' AS subject,
    part.length_ns::BIGINT AS total_ns,
    NULL::BIGINT AS saves_ns,
    'unknown' AS bound,
    'certain' AS certainty,
    true AS once,
    'pause' AS claims,
    arg_max(cause.title, row(cause.idle_ns, cause.title)) AS what,
    arg_max(gap.gap_id, row(gap.gap_ns, -gap.gap_id)) AS gap_id
FROM _part_gap AS gap
INNER JOIN part ON gap.part_id = part.part_id
INNER JOIN cause ON part.part_id = cause.part_id
WHERE part.kind = 'pause'
GROUP BY part.part_id, part.gpu_id, part.length_ns
ORDER BY part.part_id
