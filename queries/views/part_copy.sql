-- Copies and memsets of a part by direction, memory and size: time, and the part of it in which no kernel ran.
--
-- Needs  memcpy or memset
-- Engine  table
-- Columns
--     usual: part_id, gpu_id
--     direction   VARCHAR  -- Host-to-Device and the like; Memset.
--     memcpy: src_kind, dst_kind
--     is_migration  BOOLEAN  -- Unified memory that moved.
--     is_prefetch   BOOLEAN  -- It moved because the program prefetched it.
--     bytes       BIGINT   -- Bytes of each.
--     total_ns    BIGINT   -- Time.
--     count       BIGINT   -- Copies.
--     exposed_ns  BIGINT   -- Time in which no kernel and no copy that began earlier ran.
--     alone_ns    BIGINT   -- Time in which nothing else ran.
--     step_count  BIGINT   -- Steady steps in which it occurs.
--     stream_count  BIGINT   -- Streams.
--     call_name   VARCHAR  -- The call that launched the first.
WITH run AS (
    SELECT
        work.*,
        copy.direction,
        copy.src_kind,
        copy.dst_kind,
        copy.copy_kind IN (11, 12, 13) AS is_migration,
        coalesce(copy.migration_cause = 1, false) AS is_prefetch,
        copy.bytes
    FROM _part_activity AS work
    INNER JOIN memcpy AS copy ON work.row_id = copy.row_id
    WHERE work.kind = 'memcpy'
    UNION ALL
    SELECT
        work.*,
        'Memset' AS direction,
        NULL AS src_kind,
        NULL AS dst_kind,
        false AS is_migration,
        false AS is_prefetch,
        part.bytes
    FROM _part_activity AS work
    INNER JOIN memset AS part ON work.row_id = part.row_id
    WHERE work.kind = 'memset'
),

copy AS (
    SELECT
        part_id,
        gpu_id,
        direction,
        src_kind,
        dst_kind,
        is_migration,
        is_prefetch,
        bytes,
        sum(end_ns - start_ns)::BIGINT AS total_ns,
        count(*) AS count,
        sum(exposed_ns)::BIGINT AS exposed_ns,
        sum(alone_ns)::BIGINT AS alone_ns,
        count(DISTINCT step) AS step_count,
        count(DISTINCT stream_id) AS stream_count,
        arg_min(call_id, row(start_ns, call_id)) AS call_id
    FROM run
    GROUP BY ALL
),

call AS (
    SELECT
        call.row_id,
        _api_name.name
    FROM _api_call_ids AS call
    SEMI JOIN copy ON call.row_id = copy.call_id
    INNER JOIN _api_name ON call.name_id = _api_name.id
)

SELECT
    copy.* EXCLUDE (call_id),
    call.name AS call_name
FROM copy
LEFT JOIN call ON copy.call_id = call.row_id
