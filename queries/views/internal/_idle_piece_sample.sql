-- A piece of a gap and a place that CPU samples found its thread in during the piece.
--
-- Samples without a place (view call_site) count under NULL.
-- Needs  _idle_gap, cpu_sample
-- Columns
--     gap_id        BIGINT   -- The gap.
--     piece_ns      BIGINT   -- Start of the piece.
--     place         VARCHAR  -- Function and the file of its module.
--     function      VARCHAR  -- The function.
--     module        VARCHAR  -- The file of its module.
--     leaf          VARCHAR  -- What most of these samples were running.
--     sample_count  BIGINT   -- Samples.
WITH sampled AS (
    SELECT
        cpu_sample.thread_id,
        cpu_sample.start_ns,
        stack.function || ' (' || stack.module || ')' AS place,
        stack.function,
        stack.module,
        stack.leaf
    FROM cpu_sample
    LEFT JOIN _call_stack AS stack ON cpu_sample.chain_id = stack.chain_id AND stack.source = 'COMPOSITE_EVENTS'
),

used AS (
    SELECT DISTINCT
        thread_id,
        gpu_id
    FROM _idle_gap
),

-- A thread can have launched the work that ends gaps of several GPUs: each GPU has its own pieces.
asked AS (
    SELECT
        sampled.*,
        used.gpu_id
    FROM sampled
    INNER JOIN used ON sampled.thread_id = used.thread_id
)

SELECT
    piece.gap_id,
    piece.start_ns AS piece_ns,
    asked.place,
    any_value(asked.function) AS function,
    any_value(asked.module) AS module,
    mode(asked.leaf) AS leaf,
    count(*) AS sample_count
FROM asked
ASOF INNER JOIN _idle_piece AS piece
    ON
        asked.thread_id = piece.thread_id
        AND asked.gpu_id IS NOT DISTINCT FROM piece.gpu_id
        AND asked.start_ns >= piece.start_ns
WHERE asked.start_ns < piece.end_ns
GROUP BY piece.gap_id, piece.start_ns, asked.place
