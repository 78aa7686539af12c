-- Queued work starts late for no recorded reason, and the program queues host functions, which block their streams.
--
-- cudaLaunchHostFunc and cudaStreamAddCallback: a thread of the driver runs the function, and the stream waits until it
-- returns. When it runs is not recorded. At least ten calls, and over 5 % of the part, unless graphics-interop claims it.
-- Needs  _idle_gap, _api_call_ids
-- Finding
--     says  Queued work waits {total_ns} for no recorded reason; {call_count} host functions ({subject}) are queued.
--     do  Queue them on a separate stream after an event, so that no other work waits for them, or make them short.
-- Columns
--     call_count  BIGINT  -- Host functions.
--     gap_count   BIGINT  -- Gaps.
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
    gap_count
FROM _queued_reason
WHERE code = 'host-functions'
ORDER BY part_id
