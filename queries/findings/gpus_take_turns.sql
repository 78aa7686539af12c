-- GPUs of a process, or of processes that communicate, that take turns: while one computes, the others wait.
--
-- For example, layers spread over GPUs, or a program that waits for each GPU before it launches on the next. At least ten
-- changes, and several compute at once for less than a fifth of the time that chance would give. Whether their work could
-- overlap is not recorded; the bound assumes work spread evenly over all GPUs, which takes 1 / GPUs of the time.
-- Needs  _gpu_work_ids
-- Finding
--     says  {gpu_count} GPUs take turns: exactly one computes for {total_ns}, {one_pct}% of the time, more than one for {several_ns}.
--     do  Overlap them: micro-batches in a pipeline, a replica on each GPU (DistributedDataParallel), launching on all GPUs before waiting. Or use fewer GPUs.
-- Columns
--     _gpu_turn: gpu_count, several_ns
--     one_pct  BIGINT  -- Share of the part in which exactly one computes.
SELECT
    part.part_id,
    part.gpu_id,
    'GPUs' AS subject,
    turn.one_ns AS total_ns,
    (turn.one_ns * (1 - 1 / turn.gpu_count))::BIGINT AS saves_ns,
    'at most' AS bound,
    'likely' AS certainty,
    false AS once,
    'turns' AS claims,
    turn.gpu_count,
    turn.several_ns,
    round(100 * turn.one_ns / part.length_ns)::BIGINT AS one_pct
FROM part
INNER JOIN _gpu_turn AS turn ON part.part_id = turn.part_id
ORDER BY part.part_id
