-- Migrations and page faults by page of unified memory.
--
-- Pages are identified by their virtual address. Migrations between devices (copy kind 13) are left out.
-- Throughput is all bytes migrated over the time of the migrations; `nsys stats` first divides 10^9 by the time
-- in whole numbers, which gives 0 above one second.
-- `nsys stats` gives no answer if one kind of fault was not recorded; here its column is NULL.
-- Needs  memcpy or cpu_page_fault or gpu_page_fault, memcpy if as_nsys, cpu_page_fault if as_nsys,
--         gpu_page_fault if as_nsys
-- Parameters
--     top      BIGINT = NULL    -- Pages of highest throughput to keep; NULL keeps all.
--     as_nsys  BOOLEAN = false  -- Only if all kinds were recorded; throughput by integer division.
-- Columns
--     virtual_address                   BIGINT  -- [Virtual Address (hex)] Address of the page; NULL if a migration has none.
--     htod_migration_bytes              BIGINT  -- [HtoD Migration size (MB)] Bytes migrated to a GPU.
--     dtoh_migration_bytes              BIGINT  -- [DtoH Migration size (MB)] Bytes migrated from a GPU.
--     cpu_page_faults                   BIGINT  -- [CPU Page Faults] Page faults of the CPU.
--     gpu_page_faults                   BIGINT  -- [ GPU Page Faults] Page faults of GPUs.
--     migration_throughput_bytes_per_s  DOUBLE  -- [Migration Throughput (MB/s)] Bytes migrated over the time of the migrations; NULL if that is 0.
-- Same as  nsys stats --report um_sum
WITH migrated_page AS (
    SELECT
        virtual_address,
        sum(bytes) FILTER (copy_kind = 11)::BIGINT AS htod_bytes,
        sum(bytes) FILTER (copy_kind = 12)::BIGINT AS dtoh_bytes,
        dtoh_bytes IS NULL AS is_htod_only,
        sum(dur_ns)::BIGINT AS dur_ns
    FROM memcpy
    WHERE copy_kind IN (11, 12)
    GROUP BY virtual_address, CASE WHEN virtual_address IS NULL THEN copy_kind END
),

fault AS (
    SELECT
        address,
        1 AS cpu_faults
    FROM cpu_page_fault
    UNION ALL BY NAME
    SELECT
        address,
        fault_count AS gpu_faults
    FROM gpu_page_fault
),

faulted_page AS (
    SELECT
        address,
        sum(cpu_faults)::BIGINT AS cpu_fault_count,
        sum(gpu_faults)::BIGINT AS gpu_fault_count
    FROM fault
    GROUP BY address, address IS NULL AND cpu_faults IS NULL
),

page AS (
    SELECT
        coalesce(faulted_page.address, migrated_page.virtual_address) AS virtual_address,
        migrated_page.htod_bytes,
        migrated_page.dtoh_bytes,
        migrated_page.is_htod_only,
        faulted_page.cpu_fault_count,
        faulted_page.gpu_fault_count,
        coalesce(migrated_page.htod_bytes, 0) + coalesce(migrated_page.dtoh_bytes, 0) AS bytes,
        migrated_page.dur_ns,
        faulted_page.address IS NULL AS is_without_fault,
        faulted_page.cpu_fault_count IS NULL AS is_gpu_fault_only
    FROM faulted_page
    FULL JOIN migrated_page ON faulted_page.address = migrated_page.virtual_address
)

SELECT
    virtual_address,
    htod_bytes AS htod_migration_bytes,
    dtoh_bytes AS dtoh_migration_bytes,
    cpu_fault_count AS cpu_page_faults,
    gpu_fault_count AS gpu_page_faults,
    CASE WHEN $as_nsys THEN bytes * (1000000000 // dur_ns) ELSE bytes * 1e9 / nullif(dur_ns, 0) END
        AS migration_throughput_bytes_per_s
FROM page
ORDER BY
    migration_throughput_bytes_per_s DESC NULLS LAST,
    is_without_fault ASC,
    CASE WHEN is_without_fault THEN is_htod_only ELSE is_gpu_fault_only END ASC,
    virtual_address ASC NULLS FIRST
LIMIT $top
