-- A CPU sample's call stack with the function that it counts for, and the family of its library.
--
-- The innermost function outside of the kernel, the C library and the loader. MPI and UCX, NCCL, OpenMP runtime, CUDA
-- runtime (with driver and compilers), profiler and Python (the interpreter) are told by the file of the module,
-- allocator by that or by functions of the C library such as malloc; all else is program, and a stack without such a
-- function is system.
-- Needs  SAMPLING_CALLCHAINS
-- Columns
--     chain_id  BIGINT   -- The stack (view cpu_sample).
--     family    VARCHAR  -- Family of the library.
--     function  VARCHAR  -- The function; its module in brackets if it has no name.
WITH frame AS (
    SELECT
        raw.SAMPLING_CALLCHAINS.id AS chain_id,
        raw.SAMPLING_CALLCHAINS.stackDepth AS depth,
        coalesce(symbol.text, '') AS symbol,
        coalesce(regexp_extract(module.text, '[^/\\]*$'), '[unknown]') AS module
    FROM raw.SAMPLING_CALLCHAINS
    LEFT JOIN string AS symbol ON raw.SAMPLING_CALLCHAINS.symbol = symbol.id
    LEFT JOIN string AS module ON raw.SAMPLING_CALLCHAINS.module = module.id
),

named AS (
    SELECT
        chain_id,
        depth,
        CASE
            WHEN symbol = '' OR regexp_matches(symbol, '^(0x|\[)') THEN '(' || module || ')'
            ELSE symbol
        END AS function,
        CASE
            WHEN regexp_matches(module, '^(libmpi|libopen-(pal|rte)|libuc[mpst]|libpmi|libfabric|mca_)')
                THEN 'MPI and UCX'
            WHEN starts_with(module, 'libnccl') THEN 'NCCL'
            WHEN regexp_matches(module, '^(libgomp|libi?omp|libnvomp)') THEN 'OpenMP runtime'
            WHEN
                regexp_matches(module, '^(libcuda|libnvidia-|libnvrtc|libnvJitLink|nvcuda|cudart)')
                OR regexp_matches(symbol, '^(libcudart_static_|__cudart)')
                THEN 'CUDA runtime'
            WHEN regexp_matches(module, '^(libToolsInjection|libcupti)') THEN 'profiler'
            WHEN regexp_matches(module, '^(python[0-9.]*$|libpython|pypy)') THEN 'Python'
            WHEN
                regexp_matches(module, '^(libjemalloc|libtcmalloc|libmimalloc)')
                OR regexp_matches(
                    symbol, '^(_*(libc_|int_)?(malloc|free|calloc|realloc|memalign)|operator (new|delete))\b'
                )
                THEN 'allocator'
            WHEN NOT regexp_matches(module, '^(\[|libc[.-]|libpthread|libm[.-]|libdl[.-]|ld[.-]|ntdll|kernel32)')
                THEN 'program'
        END AS family
    FROM frame
)

SELECT
    chain_id,
    coalesce(arg_min(family, depth) FILTER (family IS NOT NULL), 'system') AS family,
    coalesce(arg_min(function, depth) FILTER (family IS NOT NULL), arg_min(function, depth)) AS function
FROM named
GROUP BY chain_id
