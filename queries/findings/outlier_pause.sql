-- One pause that outlasts everything else.
--
-- It is cut out before the rest is judged.
-- Needs  _idle_gap
-- Finding
--     says  One pause of {total_ns} stands out; the rest is judged without it.
--     do  nsysql idle-gaps shows what the program did in it.
SELECT
    part.part_id,
    part.gpu_id,
    'pause' AS subject,
    part.length_ns::BIGINT AS total_ns,
    NULL::BIGINT AS saves_ns,
    'unknown' AS bound,
    'certain' AS certainty,
    true AS once,
    'pause' AS claims
FROM part
WHERE part.kind = 'pause'
ORDER BY part.part_id
