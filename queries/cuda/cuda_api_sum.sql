-- CPU time by CUDA API function.
--
-- Runtime and driver calls of all processes, failed ones too. Nested calls are both counted. A call that
-- launches work returns before the work is done: its time is not the kernel's (see cuda_kern_exec_sum).
-- Needs  _api_call_ids
-- Columns
--     usual: time_pct, total_time_ns, num_calls, avg_ns, med_ns, min_ns, max_ns, stddev_ns
--     name           VARCHAR  -- [Name] Function, without version suffix.
-- Same as  nsys stats --report cuda_api_sum
WITH call_time AS (
    SELECT
        name_id,
        end_ns - start_ns AS dur_ns
    FROM _api_call_ids
),

api_function AS (
    SELECT
        name_id,
        sum(dur_ns)::BIGINT AS total_time_ns,
        count(*) AS num_calls,
        spread_ns(dur_ns) AS spread
    FROM call_time
    GROUP BY name_id
)

SELECT
    100 * total_time_ns / nullif(sum(total_time_ns) OVER (), 0) AS time_pct,
    total_time_ns,
    num_calls,
    unnest(spread) AS spread,
    _api_name.name
FROM api_function
LEFT JOIN _api_name ON api_function.name_id = _api_name.id
ORDER BY total_time_ns DESC, name_id ASC NULLS FIRST
