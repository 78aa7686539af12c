-- Launch calls with the first start and the last end of the work that each launched.
--
-- The columns named after nsys leave out CUDA graphs traced as a whole, as nsys does.
-- Needs  _api_call_ids, _gpu_work_ids
-- Columns
--     launch          BIGINT  -- A number of the process and correlation id.
--     start_ns        BIGINT  -- Start of the first work.
--     end_ns          BIGINT  -- End of the last work.
--     nsys_start_ns   BIGINT  -- Start of the first work that is no graph run; NULL if there is none.
WITH launched AS (
    SELECT
        row_number() OVER () AS launch,
        process_id,
        correlation_id,
        min(start_ns) AS start_ns,
        max(end_ns) AS end_ns,
        min(start_ns) FILTER (kind <> 'graph') AS nsys_start_ns,
        max(end_ns) FILTER (kind <> 'graph') AS nsys_end_ns
    FROM _gpu_work_ids
    GROUP BY process_id, correlation_id
)

SELECT
    call.row_id,
    call.thread_id,
    call.start_ns AS call_ns,
    call.end_ns AS return_ns,
    launched.* EXCLUDE (process_id)
FROM launched
INNER JOIN _api_call_ids AS call
    ON launched.process_id = call.process_id AND launched.correlation_id = call.correlation_id
