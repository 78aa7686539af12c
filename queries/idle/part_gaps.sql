-- A gap of a part of the capture, among those with most idle time of a kind.
--
-- Idle time counts within the part, for the selected kind or cause; the evidence is that of its longest piece.
-- Needs  _idle_gap
-- Parameters
--     part   BIGINT = NULL    -- Only this part (view part).
--     claim  VARCHAR = NULL   -- Only this kind, as in view part_idle: once, allocation, sync, short, long and so on.
--     cause  VARCHAR = NULL   -- Only this cause (query idle_causes).
--     top    BIGINT = NULL    -- Gaps to keep; NULL keeps all.
-- Columns
--     usual: part_id, gpu_id
--     gap_id           BIGINT   -- Number of the gap in the export.
--     start_ns         BIGINT   -- When the GPU fell idle, even if before the part.
--     dur_ns           BIGINT   -- How long it stayed idle.
--     idle_ns          BIGINT   -- Idle time of the selected kind or cause within the part.
--     cause            VARCHAR  -- The cause with most of it.
--     drained_by_row   BIGINT   -- Position of the blocking call after which the GPU ran dry; NULL if none.
--     evidence_table   VARCHAR  -- NVIDIA's table of the evidence; NULL if no row is the evidence.
--     evidence_row_id  BIGINT   -- Position in that table.
WITH piece AS (
    SELECT
        gap.part_id,
        gap.gpu_id,
        gap.gap_id,
        piece.start_ns AS piece_ns,
        piece.cause::VARCHAR AS cause,
        piece.evidence_table::VARCHAR AS evidence_table,
        piece.evidence_row_id,
        least(piece.end_ns, gap.end_ns) - greatest(piece.start_ns, gap.start_ns) AS idle_ns,
        claim_of(piece.cause, gap.drained_by_row IS NOT NULL, gap.gap_ns >= SHORT_GAP_NS) AS claim
    FROM _idle_piece AS piece
    INNER JOIN _part_gap AS gap
        ON piece.gap_id = gap.gap_id AND piece.start_ns < gap.end_ns AND piece.end_ns > gap.start_ns
)

SELECT
    piece.part_id,
    piece.gpu_id,
    piece.gap_id,
    gap.start_ns,
    gap.end_ns - gap.start_ns AS dur_ns,
    sum(piece.idle_ns)::BIGINT AS idle_ns,
    arg_max(piece.cause, row(piece.idle_ns, -piece.piece_ns)) AS cause,
    gap.drained_by_row,
    arg_max_null(piece.evidence_table, row(piece.idle_ns, -piece.piece_ns)) AS evidence_table,
    arg_max_null(piece.evidence_row_id, row(piece.idle_ns, -piece.piece_ns)) AS evidence_row_id
FROM piece
INNER JOIN _idle_gap AS gap ON piece.gap_id = gap.gap_id
WHERE
    ($part IS NULL OR piece.part_id = $part)
    AND ($claim IS NULL OR piece.claim = $claim)
    AND ($cause IS NULL OR piece.cause = $cause)
GROUP BY piece.part_id, piece.gpu_id, piece.gap_id, gap.start_ns, gap.end_ns, gap.drained_by_row
ORDER BY idle_ns DESC, piece.gap_id ASC, piece.part_id ASC
LIMIT $top
