-- Long gaps in which the launching thread waits for input: I/O, a lock, a data loader.
--
-- Gaps of at least 200 us. Host code in NVTX ranges and functions of data loaders counts, too. If the thread is off the CPU
-- outside of traced calls, the export does not show what it waits for; certainty is then `possible`.
-- Needs  _idle_gap
-- Finding
--     says if is_loading  The launching thread loads data ({subject}) while the GPU is idle: {total_ns} in {gap_count} gaps.
--     says  The launching thread waits ({subject}) while the GPU is idle: {total_ns} in {gap_count} gaps.
--     do if is_lock  Find the thread that holds the lock or signals it: if it loads data, prefetch and use more workers; in Python the lock can be the GIL.
--     do if is_message  Prefetch if it waits for input. If it waits for requests, there are too few: measure under load, or judge single requests.
--     do if is_device  A device or the CUDA driver is slow to answer; the call's stack shows which. Call it earlier or in another thread; a live device (a camera) sets the pace.
--     do if is_unknown  Record with --trace=osrt,mpi to see what it waits for: input can be prefetched, messages sent while kernels run.
--     do  Prefetch the input in other threads or processes; use more workers and pinned memory.
-- Columns
--     is_loading  BOOLEAN  -- The subject is a function or range of a data loader.
--     is_lock     BOOLEAN  -- It waits for another thread, outside of such ranges.
--     is_message  BOOLEAN  -- It waits for a request or a message, outside of such ranges.
--     is_device   BOOLEAN  -- It waits in ioctl, for any device.
--     is_unknown  BOOLEAN  -- The export does not show what it waits for.
--     _part_claim: gap_count, longest_ns, nvtx_path
SELECT
    claim.part_id,
    claim.gpu_id,
    claim.subject,
    claim.idle_ns AS total_ns,
    claim.idle_ns AS saves_ns,
    'at most' AS bound,
    CASE WHEN claim.is_known THEN 'likely' ELSE 'possible' END AS certainty,
    false AS once,
    'long' AS claims,
    coalesce(is_loading(claim.subject), false) AS is_loading,
    coalesce(waits_for_lock(claim.subject) AND NOT coalesce(is_loading(claim.nvtx_path), false), false) AS is_lock,
    coalesce(waits_for_message(claim.subject) AND NOT coalesce(is_loading(claim.nvtx_path), false), false)
        AS is_message,
    claim.subject = 'ioctl' AS is_device,
    NOT claim.is_known AND NOT coalesce(is_loading(claim.subject), false) AS is_unknown,
    claim.gap_count,
    claim.longest_ns,
    claim.nvtx_path
FROM _part_claim AS claim
WHERE claim.code = 'input-wait'
ORDER BY claim.part_id
