-- GPUs of a process that take turns: while one computes, the others wait.
--
-- Such as layers spread over GPUs, or launches on each GPU that are waited for before the next. Two GPUs at least, ten
-- changes at least, and several compute for less than a fifth of what chance would give. Whether their work could overlap
-- is not recorded: evenly spread over all at all times it takes 1 / GPUs of the time, which is the bound.
-- Needs  _gpu_work_ids
-- Finding
--     says  {gpu_count} GPUs take turns: exactly one computes for {total_ns}, {one_pct} % of the time, more than one for {several_ns}.
--     do  Overlap them: micro-batches in a pipeline, a replica on each GPU (DistributedDataParallel), launches on all GPUs before you wait. Or use fewer GPUs.
-- Columns
--     _gpu_turn: gpu_count, several_ns
--     one_pct  BIGINT  -- Of the part in which exactly one computes.
SELECT
    part.part_id,
    part.gpu_id,
    'GPUs of the process' AS subject,
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
