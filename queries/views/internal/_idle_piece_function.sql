-- A piece of a gap with the function that its thread was in, by the call stack of its evidence or by CPU samples.
--
-- The stack of the call that is the evidence says it; else the place of most samples within the piece.
-- Needs  _idle_gap
-- Engine  table if EXISTS (FROM raw.CUDA_CALLCHAINS) OR EXISTS (FROM raw.OSRT_CALLCHAINS) OR EXISTS (FROM raw.SAMPLING_CALLCHAINS)
-- Columns
--     _idle_piece_sample: gap_id, piece_ns, function, module
--     leaf      VARCHAR  -- What was running: the innermost function of the stack, or its module.
--     share     DOUBLE   -- Of the function among the samples, 1 if the stack of the call has it; NULL without one.
WITH by_call AS (
    SELECT
        piece.gap_id,
        piece.start_ns AS piece_ns,
        called.function,
        called.module,
        called.leaf,
        CASE WHEN called.function IS NOT NULL THEN 1.0 END AS share
    FROM _call_function AS called
    INNER JOIN _idle_piece AS piece ON called.source = piece.evidence_table AND called.row_id = piece.evidence_row_id
),

by_sample AS (
    SELECT
        gap_id,
        piece_ns,
        arg_max(function, (function IS NOT NULL, sample_count, place)) AS function,
        arg_max(module, (function IS NOT NULL, sample_count, place)) AS module,
        arg_max(leaf, (sample_count, place)) AS leaf,
        max(sample_count) FILTER (WHERE function IS NOT NULL) / sum(sample_count) AS share
    FROM _idle_piece_sample
    GROUP BY gap_id, piece_ns
)

SELECT * FROM by_call
UNION ALL
SELECT by_sample.*
FROM by_sample
ANTI JOIN by_call ON by_sample.gap_id = by_call.gap_id AND by_sample.piece_ns = by_call.piece_ns
