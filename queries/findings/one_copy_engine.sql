-- Copies to the GPU and back that never overlap.
--
-- The directions alternate at least three times; each has at least three copies, and over 5 % of the part with copies
-- while no kernel runs. A GPU of which the export says that it has one copy engine cannot do better. The bound is the
-- shorter direction.
-- Needs  memcpy
-- Finding
--     says  Copies to the GPU ({up_ns}) and back ({down_ns}) never overlap.
--     do  Copy both ways at the same time: pinned memory and a stream for each direction.
-- Columns
--     up_ns    BIGINT  -- Time of copies to the GPU while no kernel runs.
--     down_ns  BIGINT  -- Time of copies back while no kernel runs.
SELECT
    part.part_id,
    part.gpu_id,
    'copies both ways' AS subject,
    turn.up_ns + turn.down_ns AS total_ns,
    least(turn.up_ns, turn.down_ns) AS saves_ns,
    'at most' AS bound,
    'possible' AS certainty,
    false AS once,
    'copy' AS claims,
    turn.up_ns,
    turn.down_ns
FROM part
INNER JOIN _copy_turn AS turn ON part.part_id = turn.part_id
LEFT JOIN gpu ON part.gpu_id = gpu.gpu_id
WHERE
    part.kind IN ('series', 'rest', 'work')
    AND coalesce(gpu.copy_engine_count > 1, true)
    AND least(turn.up_count, turn.down_count) >= ONE_WAY_COUNT
    AND turn.turn_count >= ONE_WAY_COUNT
    AND turn.both_ns = 0
    AND least(turn.up_ns, turn.down_ns) > ONE_WAY_SHARE * part.length_ns
ORDER BY part.part_id
