-- Memory is allocated or freed, or streams or events are created or destroyed, in the loop.
--
-- In steps in at least three gaps, elsewhere in ten, none with half of that idle time. Certain in steps. Elsewhere a kernel
-- must run at least ten times, too; otherwise it is start-up. Allocating and freeing can wait for the GPU.
-- Needs  _idle_gap
-- Finding
--     says if is_setup  Streams or events are created or destroyed ({subject}) while the GPU is idle: {total_ns} in {gap_count} gaps.
--     says  Memory is allocated or freed ({subject}) while the GPU is idle: {total_ns} in {gap_count} gaps.
--     do if is_setup  Create them once and reuse them.
--     do if is_pinned  Pin memory once, before the loop, and reuse the buffers.
--     do  Allocate once and reuse: a caching allocator, or a memory pool with a release threshold.
-- Columns
--     is_setup    BOOLEAN  -- The call with most of it creates or destroys streams or events.
--     is_pinned   BOOLEAN  -- The call with most of it pins host memory, or unpins it.
--     _part_claim: gap_count, longest_ns, nvtx_path
SELECT
    claim.part_id,
    claim.gpu_id,
    claim.subject,
    claim.idle_ns AS total_ns,
    claim.idle_ns AS saves_ns,
    'about' AS bound,
    CASE WHEN part.kind = 'series' THEN 'certain' ELSE 'likely' END AS certainty,
    false AS once,
    'allocation' AS claims,
    coalesce(regexp_matches(claim.subject, '(Stream|Event)(Create|Destroy)'), false) AS is_setup,
    coalesce(regexp_matches(claim.subject, 'Host(Alloc|Register|Unregister)|(Malloc|Free)Host'), false) AS is_pinned,
    claim.gap_count,
    claim.longest_ns,
    claim.nvtx_path
FROM _part_claim AS claim
INNER JOIN part ON claim.part_id = part.part_id
INNER JOIN _allocating_part AS known ON claim.part_id = known.part_id
WHERE claim.code = 'allocation-per-step'
ORDER BY claim.part_id
