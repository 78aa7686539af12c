-- Work is queued without a known reason, and there are host functions that later work of their streams waits for.
--
-- cudaLaunchHostFunc and cudaStreamAddCallback: a function runs on a thread of the driver, and the stream waits until it
-- returns. When it runs is not recorded. At least ten of them, and over 5 % of the part; not if graphics-interop has it.
-- Needs  _idle_gap, _api_call_ids
-- Finding
--     says  Work is queued for {total_ns}, and {call_count} host functions ({subject}) are queued as well.
--     do  Let no later work wait for them: put them in a stream of their own after an event, or make them short.
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
