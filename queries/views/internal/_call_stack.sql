-- A recorded call stack: the function that it is attributed to (view call_site), and what was running.
--
-- Functions of the interpreter count only if they collect garbage.
--
-- Needs  CUDA_CALLCHAINS or OSRT_CALLCHAINS or SAMPLING_CALLCHAINS
-- Columns
--     source     VARCHAR  -- NVIDIA's table of what the stack belongs to.
--     chain_id   BIGINT   -- The stack's number there.
--     function   VARCHAR  -- The function; NULL if there is none.
--     module     VARCHAR  -- The file of its module.
--     leaf       VARCHAR  -- The innermost function and the file of its module, or that file if it has no name.
--     ran        VARCHAR  -- What the innermost one is: python, the interpreter itself; system, the kernel; native, others.
--     is_python  BOOLEAN  -- The stack passes through the Python interpreter.
WITH frame AS (
    -- noqa: disable=LT09
    SELECT 'CUPTI_ACTIVITY_KIND_RUNTIME' AS source, * FROM raw.CUDA_CALLCHAINS
    UNION ALL BY NAME
    SELECT 'OSRT_API' AS source, * FROM raw.OSRT_CALLCHAINS
    UNION ALL BY NAME
    SELECT 'COMPOSITE_EVENTS' AS source, * FROM raw.SAMPLING_CALLCHAINS
),

-- Names are judged before they are joined: each is in many frames.
symbol AS (
    SELECT
        id,
        text AS function,
        regexp_matches(text, '^(\[|0x)') AS is_nameless,
        NOT regexp_matches(
            text, '^(\[|0x|([\w:]+ )?(std|__gnu_cxx)::|(libcudart_static_[0-9a-f]+|__cudart[0-9]+)$)'
        ) AS is_site,
        is_collection(text) AS is_collector
    FROM string
),

module AS (
    SELECT
        id,
        regexp_extract(text, '[^/\\]*$') AS file,
        starts_with(text, '[kernel') AS is_system,
        regexp_matches(file, '^(python[0-9.]*|libpython.*|pypy[0-9.]*)$') AS is_python,
        NOT starts_with(text, '[')
        AND NOT regexp_matches(
            file,
            '^(libcuda|libcudart|libnv|nvcuda|cudart|libToolsInjection|'
            || 'libc[.-]|libpthread|libm[.-]|libdl[.-]|ld[.-]|ntdll|kernel32|'
            || 'python[0-9.]*$|libpython|libstdc\+\+|libjemalloc|libtcmalloc|libmimalloc)'
        ) AS is_site
    FROM string
),

named AS (
    SELECT
        frame.source,
        frame.id AS chain_id,
        frame.stackDepth AS depth,
        symbol.function,
        module.file,
        if(symbol.is_nameless, module.file, symbol.function || ' (' || module.file || ')') AS leaf,
        CASE
            WHEN frame.kernelMode = 1 OR module.is_system THEN 'system'
            WHEN module.is_python THEN 'python'
            ELSE 'native'
        END AS ran,
        module.is_python,
        coalesce(frame.unresolved, 0) = 0 AND symbol.is_site AND (module.is_site OR symbol.is_collector)
            AS is_site
    FROM frame
    LEFT JOIN symbol ON frame.symbol = symbol.id
    LEFT JOIN module ON frame.module = module.id
)

SELECT
    source,
    chain_id,
    arg_min(function, depth) FILTER (is_site) AS function,
    arg_min(file, depth) FILTER (is_site) AS module,
    any_value(leaf) FILTER (depth = 0) AS leaf,
    coalesce(any_value(ran) FILTER (depth = 0), 'native') AS ran,
    coalesce(bool_or(is_python), false) AS is_python
FROM named
GROUP BY source, chain_id
