-- Recorded call stacks with the function each is attributed to.
--
-- The innermost function that has a name and does not lie in the driver, the CUDA runtime, the C and C++ libraries,
-- an allocator, the Python interpreter, the loader or the profiler. Stacks without one are left out.
-- Needs  CUDA_CALLCHAINS or OSRT_CALLCHAINS or SAMPLING_CALLCHAINS
-- Columns
--     source    VARCHAR  -- NVIDIA's table of what the stack belongs to.
--     chain_id  BIGINT   -- The stack's number there.
--     place     VARCHAR  -- Function and the file of its module: launch_op (libops.so).
--     function  VARCHAR  -- The function.
--     module    VARCHAR  -- The file of its module.
WITH frame AS (
    SELECT
        'CUPTI_ACTIVITY_KIND_RUNTIME' AS source,
        id,
        stackDepth,
        symbol,
        module,
        unresolved
    FROM raw.CUDA_CALLCHAINS
    UNION ALL
    SELECT
        'OSRT_API' AS source,
        id,
        stackDepth,
        symbol,
        module,
        unresolved
    FROM raw.OSRT_CALLCHAINS
    UNION ALL
    SELECT
        'COMPOSITE_EVENTS' AS source,
        id,
        stackDepth,
        symbol,
        module,
        unresolved
    FROM raw.SAMPLING_CALLCHAINS
)

SELECT
    frame.source,
    frame.id AS chain_id,
    arg_min(
        symbol.text || ' (' || regexp_extract(module.text, '[^/\\]*$') || ')', frame.stackDepth
    ) AS place,
    arg_min(symbol.text, frame.stackDepth) AS function,
    arg_min(regexp_extract(module.text, '[^/\\]*$'), frame.stackDepth) AS module
FROM frame
INNER JOIN string AS symbol ON frame.symbol = symbol.id
INNER JOIN string AS module ON frame.module = module.id
WHERE
    coalesce(frame.unresolved, 0) = 0
    AND NOT starts_with(symbol.text, '[')
    AND NOT starts_with(symbol.text, '0x')
    AND NOT regexp_matches(symbol.text, '^(libcudart_static_[0-9a-f]+|__cudart[0-9]+)$')
    AND NOT starts_with(module.text, '[')
    AND NOT regexp_matches(
        regexp_extract(module.text, '[^/\\]*$'),
        '^(libcuda|libcudart|libnv|nvcuda|cudart|libToolsInjection|'
        || 'libc[.-]|libpthread|libm[.-]|libdl[.-]|ld[.-]|ntdll|kernel32|'
        || 'python[0-9.]*$|libpython|libstdc\+\+|libjemalloc|libtcmalloc|libmimalloc)'
    )
GROUP BY frame.source, frame.id
