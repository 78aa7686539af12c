-- Kernel of which few warps fit on an SM.
--
-- Theoretical occupancy below 25 %, limited by registers or shared memory, over 5 % of the part. More warps hide latency;
-- kernels that keep data in registers on purpose need few. What it saves is not known.
-- Needs  _kernel_ids
-- Finding
--     says  {subject} fills at most {occupancy_pct} % of an SM's warps, limited by {limited_by}: {total_ns}, {count} times.
--     do if library  Choose another algorithm or data type of the library.
--     do  Fewer registers (__launch_bounds__) or smaller tiles; nsysql occupancy has the shapes.
-- Columns
--     count          BIGINT   -- Launches.
--     occupancy_pct  DOUBLE   -- Theoretical occupancy.
--     limited_by     VARCHAR  -- registers or shared memory.
--     library        VARCHAR  -- Library.
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
    arg_max(kernel.limited_by, kernel.total_ns) AS limited_by,
    any_value(kernel.library) AS library
FROM _judged_occupancy AS kernel
CROSS JOIN thresholds AS least
WHERE
    kernel.class = 'own'
    AND kernel.limited_by <> 'block size'
    AND kernel.occupancy < least.low_occupancy
GROUP BY kernel.part_id, kernel.gpu_id, kernel.name, kernel.part_ns, least.occupancy_share
HAVING sum(kernel.alone_ns) > least.occupancy_share * kernel.part_ns
ORDER BY kernel.part_id ASC, total_ns DESC, subject ASC
