-- Kernel functions of each process with the time of their first launch.
--
-- Template instances are functions of their own: each is loaded when it is launched first.
-- Needs  _kernel_ids
-- Engine  whole
-- Columns
--     process_id    BIGINT  -- Process (globalPid).
--     function_id   BIGINT  -- Function, by its mangled name, else the demangled one.
--     api_start_ns  BIGINT  -- Start of the first call that launched it.
--     later_ns      DOUBLE  -- Median length of the calls that launched it later; NULL where none did.
WITH first AS (
    SELECT
        process_id,
        function_id,
        min(api_start_ns) AS api_start_ns
    FROM _activity_launch
    WHERE function_id IS NOT NULL AND call_id IS NOT NULL
    GROUP BY process_id, function_id
)

SELECT
    first.process_id,
    first.function_id,
    first.api_start_ns,
    median(later.api_end_ns - later.api_start_ns) FILTER (WHERE later.api_start_ns > first.api_start_ns) AS later_ns
FROM first
INNER JOIN _activity_launch AS later
    ON
        first.process_id = later.process_id
        AND first.function_id = later.function_id
        AND later.call_id IS NOT NULL
GROUP BY first.process_id, first.function_id, first.api_start_ns
