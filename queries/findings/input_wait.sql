-- Long gaps in which the launching thread waits for input: I/O, a lock, a data loader.
--
-- Gaps of at least 200 us. NVTX ranges and functions of data loaders count as well, whatever the thread does in them. A
-- thread that is off the CPU in no traced call waits for something that the export does not name; then it is only
-- possible.
-- Needs  _idle_gap
-- Finding
--     says if is_loading  The launching thread loads data ({subject}) while the GPU is idle: {total_ns} in {gap_count} gaps.
--     says  The launching thread waits ({subject}) while the GPU is idle: {total_ns} in {gap_count} gaps.
--     do if is_lock  Find the thread that holds the lock or is to signal it: if it loads data, prefetch and use more workers; in Python it can be the interpreter lock.
--     do if is_message  Input: prefetch it. Requests: the GPU has too few of them; measure under load, or judge single requests.
--     do if is_device  A device answers late: the call's stack tells which. Ask it earlier, in another thread; if it is live (a camera), it sets the pace.
--     do if is_unknown  Record --trace=osrt,mpi to learn for what: input can be prefetched, messages sent while kernels run.
--     do  Prefetch the input in other threads or processes, use more workers and pinned memory.
-- Columns
--     is_loading  BOOLEAN  -- It is a function or range of a data loader.
--     is_lock     BOOLEAN  -- It waits for another thread, outside of such ranges.
--     is_message  BOOLEAN  -- It waits for a request or a message, outside of such ranges.
--     is_device   BOOLEAN  -- It asks a device, which can be any.
--     is_unknown  BOOLEAN  -- The export does not say what for.
--     gap_count   BIGINT   -- Gaps.
--     longest_ns  BIGINT   -- The longest.
--     nvtx_path   VARCHAR  -- NVTX ranges of most of it.
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
