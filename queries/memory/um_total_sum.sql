-- Migrations and page faults of unified memory in the whole capture: one row.
--
-- Migrations between devices (copy kind 13) are left out. Addresses are the lowest and highest of any
-- migration or fault; `nsys stats` leaves them out unless there were migrations both ways and faults of
-- both kinds, and gives no answer if one kind of fault was not recorded.
-- Needs  memcpy or cpu_page_fault or gpu_page_fault, memcpy if as_nsys, cpu_page_fault if as_nsys,
--         gpu_page_fault if as_nsys
-- Parameters
--     as_nsys  BOOLEAN = false  -- Only if all kinds were recorded; addresses only if all kinds occurred.
-- Columns
--     total_htod_migration_bytes  BIGINT  -- [Total HtoD Migration Size (MB)] Bytes migrated to a GPU.
--     total_dtoh_migration_bytes  BIGINT  -- [Total DtoH Migration Size (MB)] Bytes migrated from a GPU.
--     total_cpu_page_faults       BIGINT  -- [Total CPU Page Faults] Page faults of the CPU; NULL if none was recorded.
--     total_gpu_page_faults       BIGINT  -- [Total GPU PageFaults] Page faults of GPUs; NULL if none was recorded.
--     minimum_virtual_address     BIGINT  -- [Minimum Virtual Address (hex)] Lowest address.
--     maximum_virtual_address     BIGINT  -- [Maximum Virtual Address (hex)] Highest address.
-- Same as  nsys stats --report um_total_sum
WITH event AS (
    SELECT
        CASE copy_kind WHEN 11 THEN 'htod' ELSE 'dtoh' END AS kind,
        virtual_address AS address,
        bytes AS amount
    FROM memcpy
    WHERE copy_kind IN (11, 12)
    UNION ALL
    SELECT
        'cpu fault' AS kind,
        address,
        1 AS amount
    FROM cpu_page_fault
    UNION ALL
    SELECT
        'gpu fault' AS kind,
        address,
        fault_count AS amount
    FROM gpu_page_fault
)

SELECT
    sum(amount) FILTER (kind = 'htod')::BIGINT AS total_htod_migration_bytes,
    sum(amount) FILTER (kind = 'dtoh')::BIGINT AS total_dtoh_migration_bytes,
    coalesce(sum(amount) FILTER (kind = 'cpu fault'), CASE WHEN $as_nsys THEN 0 END)::BIGINT AS total_cpu_page_faults,
    sum(amount) FILTER (kind = 'gpu fault')::BIGINT AS total_gpu_page_faults,
    CASE
        WHEN NOT $as_nsys OR count(DISTINCT kind) FILTER (address IS NOT NULL) = 4 THEN min(address)
    END AS minimum_virtual_address,
    CASE
        WHEN NOT $as_nsys OR count(DISTINCT kind) FILTER (address IS NOT NULL) = 4 THEN max(address)
    END AS maximum_virtual_address
FROM event
HAVING $as_nsys OR count(*) > 0
ORDER BY 1
