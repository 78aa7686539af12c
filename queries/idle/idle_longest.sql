-- The idle time of one cause in a gap, among the longest of its GPU and cause, with the work before and after.
--
-- All pieces of the cause in a gap count together, since the scheduler cuts host code into slices; the evidence is that
-- of the longest piece.
-- Needs  _idle_gap
-- Parameters
--     each         BIGINT = 3       -- Gaps to keep for each GPU and cause.
--     places       BOOLEAN = true   -- Fill waits_for, function and module, the slowest step.
--     idle_drain_calls: start_ns, end_ns, gpu, per_process
-- Columns
--     _idle_piece: gpu_id, cause, gap_id
--     start_ns         BIGINT   -- Start of its first piece.
--     dur_ns           BIGINT   -- Idle time of that cause in the gap.
--     thread_id        BIGINT   -- Thread that launched the gap's next activity (globalTid).
--     usual: pid, tid
--     thread_name      VARCHAR  -- Its name; NULL if the export does not say.
--     previous_name    VARCHAR  -- The last activity before the gap.
--     next_name        VARCHAR  -- The activity that ended it.
--     evidence_table   VARCHAR  -- NVIDIA's table of the evidence; NULL if no row is the evidence.
--     evidence_row_id  BIGINT   -- Position in that table.
--     evidence_name    VARCHAR  -- Name of the evidence.
--     waits_for        VARCHAR  -- The thread or rank that the evidence shows it waited for, or that took its CPU.
--     function         VARCHAR  -- Function of the program or a library that the thread was in, from its call stacks.
--     module           VARCHAR  -- The file of that function's module.
WITH of_gap AS (
    SELECT
        cause,
        gap_id,
        any_value(gpu_id) AS gpu_id,
        min(greatest(start_ns, coalesce($start_ns, start_ns))) AS start_ns,
        sum(within_ns(start_ns, end_ns, $start_ns, $end_ns))::BIGINT AS dur_ns
    FROM _idle_piece
    WHERE is_asked(start_ns, end_ns, $start_ns, $end_ns, gpu_id, $gpu)
    GROUP BY gap_id, cause
),

-- Among equal lengths the earlier.
first AS (
    SELECT
        unnest(
            max(struct_pack(dur_ns := dur_ns, earlier := -start_ns, gap_id := gap_id, cause := cause), $each)
        ) AS gap
    FROM of_gap
    GROUP BY gpu_id, cause
),

longest AS (
    SELECT
        piece.gpu_id,
        piece.cause,
        piece.gap_id,
        piece.thread_id,
        piece.evidence_table,
        piece.evidence_row_id,
        piece.evidence_name_id,
        piece.start_ns AS piece_ns,
        -first.gap.earlier AS start_ns,
        first.gap.dur_ns
    FROM _idle_piece AS piece
    INNER JOIN first ON piece.gap_id = first.gap.gap_id AND piece.cause = first.gap.cause
    WHERE is_within(piece.start_ns, piece.end_ns, $start_ns, $end_ns)
    QUALIFY
        row_number() OVER (
            PARTITION BY piece.gap_id, piece.cause
            ORDER BY within_ns(piece.start_ns, piece.end_ns, $start_ns, $end_ns) DESC, piece.start_ns ASC
        ) = 1
)

SELECT
    longest.gpu_id,
    idle_cause.cause,
    longest.gap_id,
    longest.start_ns,
    longest.dur_ns,
    longest.thread_id,
    pid_of(longest.thread_id) AS pid,
    tid_of(longest.thread_id) AS tid,
    thread_name.name AS thread_name,
    previous.name AS previous_name,
    next.name AS next_name,
    longest.evidence_table::VARCHAR AS evidence_table,
    longest.evidence_row_id,
    _api_name.name AS evidence_name,
    _idle_wait.waits_for,
    _idle_piece_function.function,
    _idle_piece_function.module
FROM longest
INNER JOIN idle_cause ON longest.cause = idle_cause.cause
INNER JOIN _idle_gap AS gap ON longest.gap_id = gap.gap_id
LEFT JOIN _api_name ON longest.evidence_name_id = _api_name.id
LEFT JOIN _thread_name AS thread_name ON longest.thread_id = thread_name.thread_id
LEFT JOIN _idle_wait
    ON longest.evidence_table = _idle_wait.source AND longest.evidence_row_id = _idle_wait.row_id AND $places
LEFT JOIN _idle_piece_function
    ON longest.gap_id = _idle_piece_function.gap_id AND longest.piece_ns = _idle_piece_function.piece_ns AND $places
LEFT JOIN _activity_name AS previous
    ON gap.previous_kind = previous.kind AND gap.previous_detail_id = previous.detail_id
LEFT JOIN _activity_name AS next ON gap.next_kind = next.kind AND gap.next_detail_id = next.detail_id
ORDER BY longest.gpu_id ASC, longest.dur_ns DESC, longest.start_ns ASC
