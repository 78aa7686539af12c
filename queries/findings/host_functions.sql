-- Queued work starts late for no recorded reason, and the program queues host functions, which block their streams.
--
-- cudaLaunchHostFunc and cudaStreamAddCallback: a thread of the driver runs the function, and the stream waits until it
-- returns. When it runs is not recorded. At least ten calls, in steps three, and over 5 % of the part, unless
-- graphics-interop claims it. In CUDA graphs they are nodes that are not recorded, either: work inside the graph then
-- waits, for 20 us on average.
-- Needs  _idle_gap, _api_call_ids
-- Finding
--     says if is_graph  Work inside CUDA graphs waits {total_ns} in {gap_count} gaps for nodes that are not recorded, such as host functions.
--     says  Queued work waits {total_ns} for no recorded reason; {call_count} host functions ({subject}) are queued.
--     do if is_graph  Move host functions out of the graph, or into a branch of it that no other work waits for.
--     do  Queue them on a separate stream after an event, so that no other work waits for them, or make them short.
-- Columns
--     call_count  BIGINT   -- Host functions.
--     gap_count   BIGINT   -- Gaps.
--     is_graph    BOOLEAN  -- Inside CUDA graphs.
SELECT
    part_id,
    gpu_id,
    subject,
    idle_ns AS total_ns,
    idle_ns AS saves_ns,
    'at most' AS bound,
    'possible' AS certainty,
    false AS once,
    'queued' AS claims,
    count AS call_count,
    gap_count,
    is_graph
FROM _queued_reason
WHERE code = 'host-functions'
ORDER BY part_id
