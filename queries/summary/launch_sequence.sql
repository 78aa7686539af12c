-- A piece of GPU work that a recorded call launched, in the order of the calls.
--
-- For finding what repeats: two rows with the same process, kind and detail_id are the same operation. Work of zero
-- length and work whose call was not recorded are left out.
-- Needs  _gpu_work_ids
-- Parameters
--     top          BIGINT = NULL    -- First rows to keep, over all processes; NULL keeps all.
--     per_process  BOOLEAN = false  -- Keep each process's devices separate; gpu_id is then pid * 1000 + ordinal.
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
