-- What an SM of a compute capability has: the limits of theoretical occupancy.
--
-- As in the CUDA Programming Guide's table of compute capabilities and the arch_traits.h of NVIDIA/cccl. Every SM has 65,536 registers.
-- Columns
--     shared_memory_bytes           BIGINT   -- Shared memory of an SM.
--     max_blocks                    BIGINT   -- Resident blocks of an SM.
--     max_warps                     BIGINT   -- Resident warps of an SM.
--     max_registers                 BIGINT   -- Registers of an SM.
--     max_block_bytes               BIGINT   -- Shared memory that a block can have.
--     reserved_shared_memory_bytes  BIGINT   -- Shared memory of a block that CUDA keeps for itself.
--     shared_memory_granule_bytes   BIGINT   -- A block's shared memory is rounded up to a multiple of this.
--     sub_partitions                BIGINT   -- Parts of an SM, each with its share of the registers.
SELECT
    compute_capability,
    (1024 * shared_memory_kib)::BIGINT AS shared_memory_bytes,
    max_blocks::BIGINT AS max_blocks,
    (max_threads // 32)::BIGINT AS max_warps,
    65536::BIGINT AS max_registers,
    1024 * CASE WHEN compute_capability[:2] = '6.' THEN 48 ELSE shared_memory_kib END::BIGINT AS max_block_bytes,
    reserved_shared_memory_bytes::BIGINT AS reserved_shared_memory_bytes,
    shared_memory_granule_bytes::BIGINT AS shared_memory_granule_bytes,
    sub_partitions::BIGINT AS sub_partitions
FROM (
    VALUES
    ('6.0', 64, 32, 2048, 0, 256, 2),
    ('6.1', 96, 32, 2048, 0, 256, 4),
    ('7.0', 96, 32, 2048, 0, 256, 4),
    ('7.5', 64, 16, 1024, 0, 256, 4),
    ('8.0', 164, 32, 2048, 1024, 128, 4),
    ('8.6', 100, 16, 1536, 1024, 128, 4),
    ('8.7', 164, 16, 1536, 1024, 128, 4),
    ('8.8', 100, 16, 1536, 1024, 128, 4),
    ('8.9', 100, 24, 1536, 1024, 128, 4),
    ('9.0', 228, 32, 2048, 1024, 128, 4),
    ('10.0', 228, 32, 2048, 1024, 128, 4),
    ('10.3', 228, 32, 2048, 1024, 128, 4),
    ('11.0', 228, 24, 1536, 1024, 128, 4),
    ('12.0', 100, 24, 1536, 1024, 128, 4),
    ('12.1', 100, 24, 1536, 1024, 128, 4)
) AS known (
    compute_capability,
    shared_memory_kib,
    max_blocks,
    max_threads,
    reserved_shared_memory_bytes,
    shared_memory_granule_bytes,
    sub_partitions
)
