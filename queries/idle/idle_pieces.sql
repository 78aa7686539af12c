-- A piece of a gap attributed to one cause, with the row that is the evidence.
--
-- The pieces of a gap do not overlap and fill it. With paths they are cut where an NVTX range of the launching thread
-- begins or ends.
-- Needs  _idle_gap
-- Engine  skip _idle_piece_path, _nvtx_path unless $paths
-- Parameters
--     gap          BIGINT = NULL    -- Only this gap.
--     usual: gpu, start_ns, end_ns, per_process
--     paths        BOOLEAN = true   -- Fill nvtx_path; false skips reading NVTX, the slowest step.
-- Columns
--     usual: gpu_id, gap_id, cause, start_ns, end_ns, dur_ns
--     thread_id        BIGINT   -- Thread that launched the gap's next activity (globalTid).
--     usual: pid, tid
--     evidence_table   VARCHAR  -- NVIDIA's table of the evidence; NULL if no row is the evidence.
--     evidence_row_id  BIGINT   -- Position in that table.
--     evidence_name    VARCHAR  -- Name of the evidence.
--     nvtx_path        VARCHAR  -- NVTX ranges of that thread, outermost first.
--     waits_for        VARCHAR  -- The thread or rank that the evidence shows it waited for, or that took its CPU.
--     function         VARCHAR  -- Function of the program or a library that the thread was in, from its call stacks.
--     module           VARCHAR  -- The file of that function's module.
--     leaf             VARCHAR  -- The innermost function of these stacks, or its module.
WITH cut AS (
    SELECT
        piece.* EXCLUDE (start_ns, end_ns),
        piece.start_ns AS piece_ns,
        greatest(coalesce(path.start_ns, piece.start_ns), coalesce($start_ns, piece.start_ns)) AS start_ns,
        least(coalesce(path.end_ns, piece.end_ns), coalesce($end_ns, piece.end_ns)) AS end_ns,
        within_ns(
            coalesce(path.start_ns, piece.start_ns), coalesce(path.end_ns, piece.end_ns), $start_ns, $end_ns
        ) AS dur_ns,
        path.path_number
    FROM _idle_piece AS piece
    LEFT JOIN _idle_piece_path AS path ON piece.gap_id = path.gap_id AND piece.start_ns = path.piece_ns AND $paths
    WHERE
        is_asked(piece.start_ns, piece.end_ns, $start_ns, $end_ns, piece.gpu_id, $gpu)
        AND ($gap IS NULL OR piece.gap_id = $gap)
)

SELECT
    cut.gpu_id,
    cut.gap_id,
    idle_cause.cause,
    cut.start_ns,
    cut.end_ns,
    cut.dur_ns,
    cut.thread_id,
    pid_of(cut.thread_id) AS pid,
    tid_of(cut.thread_id) AS tid,
    cut.evidence_table::VARCHAR AS evidence_table,
    cut.evidence_row_id,
    _api_name.name AS evidence_name,
    _nvtx_path.nvtx_path,
    _idle_wait.waits_for,
    _idle_piece_function.function,
    _idle_piece_function.module,
    _idle_piece_function.leaf
FROM cut
INNER JOIN idle_cause ON cut.cause = idle_cause.cause
LEFT JOIN _api_name ON cut.evidence_name_id = _api_name.id
LEFT JOIN _nvtx_path ON cut.path_number = _nvtx_path.path_number
LEFT JOIN _idle_wait ON cut.evidence_table = _idle_wait.source AND cut.evidence_row_id = _idle_wait.row_id
LEFT JOIN _idle_piece_function
    ON cut.gap_id = _idle_piece_function.gap_id AND cut.piece_ns = _idle_piece_function.piece_ns
WHERE cut.dur_ns > 0
ORDER BY cut.start_ns ASC, cut.gpu_id ASC, cut.gap_id ASC
