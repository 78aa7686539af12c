-- Pages of unified memory whose migration throughput `nsys stats` prints at least one percent too low.
--
-- As _nsys_defect_throughput, by the time that all migrations of the page took.
-- Needs  memcpy
-- Columns
--     virtual_address  BIGINT  -- Address of the page.
--     dur_ns           BIGINT  -- Time of its migrations.
--     bytes            BIGINT  -- Bytes migrated.
SELECT
    virtual_address,
    sum(dur_ns)::BIGINT AS dur_ns,
    sum(bytes)::BIGINT AS bytes
FROM memcpy
WHERE copy_kind IN (11, 12)
GROUP BY virtual_address
HAVING sum(bytes) > 0 AND 1000000000 // sum(dur_ns)::BIGINT * sum(dur_ns)::BIGINT <= 990000000
