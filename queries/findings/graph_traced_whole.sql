-- CUDA graphs that were traced as a whole.
--
-- Over 10 % of the part. The work inside is not recorded.
-- Needs  graph_trace
-- Finding
--     says  CUDA graphs traced as a whole take {total_ns}: the work inside is not recorded.
--     do  Record with --cuda-graph-trace=node to see inside.
SELECT
    part.part_id,
    part.gpu_id,
    'CUDA graphs' AS subject,
    (sum(work.end_ns - work.start_ns))::BIGINT AS total_ns,
    NULL::BIGINT AS saves_ns,
    'unknown' AS bound,
    'certain' AS certainty,
    false AS once,
    'kernel' AS claims
FROM part
INNER JOIN _part_activity AS work ON part.part_id = work.part_id
WHERE part.kind IN ('series', 'rest', 'work') AND work.kind = 'graph'
GROUP BY part.part_id, part.gpu_id, part.length_ns
HAVING sum(work.end_ns - work.start_ns) > GRAPH_TRACED_SHARE * part.length_ns
ORDER BY part.part_id
