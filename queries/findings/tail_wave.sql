-- Kernel whose last wave of blocks fills few SMs.
--
-- A wave is as many blocks as the GPU runs at once. A few more blocks need another wave, in which most SMs are idle. Kernels
-- with a mean over 20 us and at most 8 waves, the last at most a quarter full. Not on a GPU that several processes use:
-- blocks of others can fill the last wave, and how many SMs each process gets is not recorded.
-- Needs  _kernel_ids
-- Finding
--     says  {subject} needs {wave_count} waves of blocks, the last with {last_blocks} of {wave_blocks}: {total_ns}, {count} times.
--     do if library  Choose sizes (batch, channels) with which its blocks fill whole waves ({wave_blocks} blocks each).
--     do  Change the grid or the tile size so that blocks fill whole waves ({wave_blocks} blocks each).
-- Columns
--     count        BIGINT  -- Launches.
--     wave_count   BIGINT  -- Waves.
--     wave_blocks  BIGINT  -- Blocks of a full wave.
--     last_blocks  BIGINT  -- Blocks of the last wave.
--     library      VARCHAR  -- Library.
SELECT
    kernel.part_id,
    kernel.gpu_id,
    kernel.name AS subject,
    sum(kernel.total_ns)::BIGINT AS total_ns,
    sum(
        kernel.alone_ns * (1 - kernel.block_count / kernel.wave_blocks / ceil(kernel.block_count / kernel.wave_blocks))
    )::BIGINT
        AS saves_ns,
    'unknown' AS bound,
    'possible' AS certainty,
    false AS once,
    'kernel' AS claims,
    sum(kernel.count)::BIGINT AS count,
    arg_max(ceil(kernel.block_count / kernel.wave_blocks), kernel.total_ns)::BIGINT AS wave_count,
    arg_max(kernel.wave_blocks, kernel.total_ns)::BIGINT AS wave_blocks,
    arg_max(kernel.block_count % kernel.wave_blocks, kernel.total_ns)::BIGINT AS last_blocks,
    any_value(kernel.library) AS library
FROM _judged_occupancy AS kernel
WHERE
    kernel.class <> 'communication'
    AND kernel.block_count > kernel.wave_blocks
    AND kernel.block_count <= MOST_WAVES * kernel.wave_blocks
    AND kernel.block_count % kernel.wave_blocks BETWEEN 1 AND LAST_WAVE_SHARE * kernel.wave_blocks
    AND kernel.total_ns > WAVE_KERNEL_NS * kernel.count
    AND (
        SELECT count(DISTINCT used.process_id)
        FROM _gpu_process AS used
        WHERE used.gpu_id = kernel.gpu_id
    ) = 1
GROUP BY kernel.part_id, kernel.gpu_id, kernel.name
ORDER BY kernel.part_id ASC, saves_ns DESC, subject ASC
