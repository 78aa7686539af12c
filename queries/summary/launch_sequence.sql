-- A piece of GPU work that a recorded call launched, in the order of the calls.
--
-- For what repeats: of two pieces with the same process, kind and detail the program did the same. Rows without a
-- length and work whose call was not recorded are left out.
-- Needs  _gpu_work_ids
-- Parameters
--     top          BIGINT = NULL    -- Keep the first of all processes; NULL keeps all.
--     per_process  BOOLEAN = false  -- Keep each process's devices apart; gpu_id is then pid * 1000 + ordinal.
-- Columns
--     usual: process_id, gpu_id, kind
--     _activity_launch: detail_id, api_start_ns, start_ns, end_ns
SELECT
    process_id,
    gpu_id,
    kind::VARCHAR AS kind,
    detail_id,
    api_start_ns,
    start_ns,
    end_ns
FROM _activity_launch
WHERE api_start_ns IS NOT NULL
ORDER BY api_start_ns ASC, process_id ASC, start_ns ASC, kind ASC, row_id ASC
LIMIT $top
