-- CUDA API functions and the cause of idle time of each.
--
-- By name, runtime (cuda*) and driver (cu*) alike, without version and stream-mode suffixes. Blocking copies
-- are those without Async in their name; a copy of pageable memory blocks too, which only its row shows.
-- Engine  table
-- Columns
--     id               BIGINT   -- Number of the full name.
--     name             VARCHAR  -- Name without suffixes.
--     cause            VARCHAR  -- sync, module_load, context_setup, stream_and_event_setup, graph_build,
--                                  memory_management or other_cuda_api.
--     is_copy          BOOLEAN  -- The function copies.
--     is_graph_launch  BOOLEAN  -- The function launches a CUDA graph.
--     is_launch        BOOLEAN  -- The function launches work and does not wait for it: kernels, graphs, copies, sets.
WITH plain AS (
    SELECT
        id,
        regexp_replace(text, '(_v[0-9]+|_ptsz|_ptds)+$', '') AS name
    FROM string
)

SELECT
    id,
    name,
    CASE
        -- noqa: disable=LT05
        WHEN regexp_matches(name, '^cu(da)?(Device|Thread|Ctx|Stream|Event)Synchronize$') THEN 'sync'
        WHEN regexp_matches(name, '^cu(da)?Memcpy') AND name NOT LIKE '%Async%' THEN 'sync'
        WHEN regexp_matches(name, '^(cu(da)?(Module|Library|Link|Kernel|JitLink|GetKernel|GetFuncBySymbol|FuncLoad)|__cudaRegister|nvrtc|nvJitLink)')
            THEN 'module_load'
        WHEN
            regexp_matches(
                name,
                '^(cuInit$|cuDevicePrimaryCtx|cuCtx(Create|Destroy|Attach|Detach|EnablePeer|DisablePeer)|cudaInitDevice'
                || '|cudaSet(Valid)?Device|cudaDevice(Reset|EnablePeer|DisablePeer)|cudaThreadExit'
                || '|cu(da)?GreenCtx(Create|Destroy)|cu(da)?DevResource|cudaExecutionCtxDestroy)'
            ) THEN 'context_setup'
        WHEN regexp_matches(name, '^cu(da)?(Stream|Event)(Create|Destroy)') THEN 'stream_and_event_setup'
        WHEN
            regexp_matches(name, '^cu(da)?(Graph([A-Z]|$)|Stream(BeginCapture|EndCapture|UpdateCapture))')
            AND NOT regexp_matches(name, '^cu(da)?GraphLaunch') THEN 'graph_build'
        WHEN
            regexp_matches(
                name,
                '^cu(da)?(Malloc|Free|HostAlloc|HostRegister|HostUnregister|MemPool|Ipc(Open|Close)Mem|DeviceGraphMemTrim)'
                || '|^cuMem(Alloc|Free|Host|Create|Release|Retain|Export|Import|Map|Unmap|Address|SetAccess|Pool)'
                || '|^cu(Array|MipmappedArray)(3D)?(Create|Destroy)|^cuMulticast'
            ) THEN 'memory_management'
        ELSE 'other_cuda_api'
    END AS cause,
    regexp_matches(name, '^cu(da)?Memcpy') AS is_copy,
    regexp_matches(name, '^cu(da)?GraphLaunch') AS is_graph_launch,
    regexp_matches(name, '^cu(da)?(Launch(Kernel|Cooperative|Grid|$)|GraphLaunch|Memcpy.*Async|Memset)') AS is_launch
FROM plain
