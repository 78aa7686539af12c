-- Recorded call stacks with the function each is attributed to.
--
-- The innermost function that has a name and is not in the driver, the CUDA runtime, the C and C++ libraries (nor of
-- namespace std), an allocator, the Python interpreter, the loader or the profiler. Stacks without one are left out.
-- Needs  CUDA_CALLCHAINS or OSRT_CALLCHAINS or SAMPLING_CALLCHAINS
-- Columns
--     _call_stack: source, chain_id
--     place     VARCHAR  -- Function and the file of its module: launch_op (libops.so).
--     function  VARCHAR  -- The function.
--     module    VARCHAR  -- The file of its module.
SELECT
    source,
    chain_id,
    function || ' (' || module || ')' AS place,
    function,
    module
FROM _call_stack
WHERE function IS NOT NULL
