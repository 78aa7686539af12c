-- Pieces of gaps before the launch that ends them, of 100 us or more: where in the program the thread was then.
--
-- Advice about shorter ones is to launch faster, wherever that is.
-- Needs  _gpu_work_ids
SELECT
    gap_id,
    thread_id,
    start_ns,
    end_ns
FROM _idle_piece
WHERE
    thread_id IS NOT NULL
    AND end_ns - start_ns >= 100000
    AND cause NOT IN (
        'sync_return', 'sync_wait', 'blocked_launch', 'pageable_copy', 'first_launch', 'launch_call',
        'graph_dependency', 'launch_batch', 'stream_wait', 'graph_launch', 'launch_latency', 'queued_unexplained',
        'unified_memory', 'no_launch_recorded'
    )
