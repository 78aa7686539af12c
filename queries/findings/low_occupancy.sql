-- Kernel with low theoretical occupancy: few of its warps fit on an SM.
--
-- Below 25 %, limited by registers or shared memory, in a kernel of the program (not of a library) that runs alone for over
-- 5 % of the part and has more blocks than the GPU takes at once. More warps hide latency; kernels that keep data in
-- registers on purpose need few. The saving is unknown.
-- Needs  _kernel_ids
-- Finding
--     says  {subject} has a theoretical occupancy of {occupancy_pct}%, limited by {limited_by}: {total_ns}, {count} times.
--     do  Use fewer registers (__launch_bounds__) or smaller tiles; nsysql occupancy lists launch shapes.
-- Columns
--     count          BIGINT   -- Launches.
--     occupancy_pct  DOUBLE   -- Theoretical occupancy.
--     limited_by     VARCHAR  -- registers or shared memory.
SELECT
    kernel.part_id,
    kernel.gpu_id,
    kernel.name AS subject,
    sum(kernel.total_ns)::BIGINT AS total_ns,
    NULL::BIGINT AS saves_ns,
    'unknown' AS bound,
    'possible' AS certainty,
    false AS once,
    'kernel' AS claims,
    sum(kernel.count)::BIGINT AS count,
    100 * arg_max(kernel.occupancy, kernel.total_ns) AS occupancy_pct,
    arg_max(kernel.limited_by, kernel.total_ns) AS limited_by
FROM _judged_occupancy AS kernel
WHERE
    kernel.class = 'own'
    AND kernel.limited_by <> 'block size'
    AND kernel.occupancy < LOW_OCCUPANCY
    AND kernel.block_count > kernel.wave_blocks
GROUP BY kernel.part_id, kernel.gpu_id, kernel.name, kernel.part_ns
HAVING sum(kernel.alone_ns) > OCCUPANCY_SHARE * kernel.part_ns
ORDER BY kernel.part_id ASC, total_ns DESC, subject ASC
