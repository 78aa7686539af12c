-- An NVTX range in the tree of its thread: within which range it lies, and how deep.
--
-- A range lies in another one of its thread that starts no later and ends no earlier; its parent is the
-- shortest of these, the first row of two as short. Where two ranges have the same start and end, the later row lies in the earlier one;
-- `nsys stats` takes each for the other's parent and loses both, with all that lies in them.
--
-- Ranges that cross none are swept: walking the borders in order of time, the count of open ranges is a
-- range's level, and its parent is the range before it if that one is less deep, else its elder sibling's.
-- That every range ends within the parent found so proves that none cross. Around those that do, the
-- shortest is sought among all that start no later, halving by halving. Both take n log n steps or little more.
-- Needs  nvtx_range_record
-- Columns
--     row_id              BIGINT   -- Position in the export's table.
--     thread_id           BIGINT   -- Thread (globalTid).
--     start_ns            BIGINT   -- Start.
--     end_ns              BIGINT   -- End, or the latest timestamp of any range.
--     level               BIGINT   -- Number of ranges around it, parent by parent.
--     parent_row_id       BIGINT   -- Parent; NULL for none.
--     root_row_id         BIGINT   -- Outermost range around it; itself where there is none.
--     path                VARCHAR  -- Rows from the outermost range to this one, such as :2:7.
--     nsys_parent_row_id  BIGINT   -- Parent as NVIDIA has it, where two ranges have the same start and end.
--     is_lost_by_nsys     BOOLEAN  -- Has the same start and end as another range, or lies in one that has.
WITH RECURSIVE opened AS (
    SELECT
        row_id,
        thread_id,
        start_ns,
        end_ns,
        row_number() OVER (
            PARTITION BY thread_id
            ORDER BY 3 * start_ns + CASE WHEN end_ns > start_ns THEN 2 ELSE 0 END, end_ns DESC, row_id ASC
        ) AS place
    FROM nvtx_thread_range
),

-- At one time: first what has no length opens, then ranges close, then others open.
border AS (
    SELECT
        row_id,
        thread_id,
        start_ns,
        end_ns,
        place,
        3 * start_ns + CASE WHEN end_ns > start_ns THEN 2 ELSE 0 END AS moment
    FROM opened
    UNION ALL
    SELECT
        NULL AS row_id,
        thread_id,
        NULL AS start_ns,
        NULL AS end_ns,
        NULL AS place,
        3 * end_ns + 1 AS moment
    FROM opened
),

levelled AS (
    SELECT
        row_id,
        thread_id,
        start_ns,
        end_ns,
        place,
        2 * place - 1 - row_number() OVER (
            PARTITION BY thread_id ORDER BY moment ASC, place ASC NULLS FIRST
        ) AS level
    FROM border
    QUALIFY place IS NOT NULL
),

-- Each range beside the one opened before it and the one opened after it.
neighbour AS (
    SELECT
        row_id,
        thread_id,
        start_ns,
        end_ns,
        place,
        level,
        lag(level) OVER by_place < level AS is_eldest,
        lag(end_ns) OVER by_place AS before_end_ns,
        lag(start_ns) OVER by_place = start_ns AND lag(end_ns) OVER by_place = end_ns AS is_repeat,
        lead(start_ns) OVER by_place AS after_start_ns,
        lead(end_ns) OVER by_place AS after_end_ns,
        lead(row_id) OVER by_place AS after_row_id
    FROM levelled
    WINDOW by_place AS (PARTITION BY thread_id ORDER BY place)
),

child AS (
    SELECT
        row_id,
        thread_id,
        start_ns,
        end_ns,
        place,
        level,
        coalesce(is_repeat, false) AS is_repeat,
        CASE WHEN after_start_ns = start_ns AND after_end_ns = end_ns THEN after_row_id END AS repeated_by_row_id,
        max(CASE WHEN is_eldest THEN place - 1 END) OVER by_level AS parent_place,
        max(CASE WHEN is_eldest THEN before_end_ns END) OVER by_level AS parent_end_ns,
        start_ns = end_ns AND after_start_ns = start_ns AND after_end_ns > end_ns AS is_on_border
    FROM neighbour
    WINDOW by_level AS (PARTITION BY thread_id, level ORDER BY place)
),

tangled AS (
    SELECT
        row_id,
        thread_id
    FROM child
    WHERE is_on_border OR (level > 0 AND coalesce(parent_end_ns < end_ns, true))
),

-- The rest of the thread in groups that touch; only groups with a tangled range are sought through.
suspect AS (
    SELECT
        child.row_id,
        child.thread_id,
        child.start_ns,
        child.end_ns,
        child.place,
        max(child.end_ns) OVER (
            PARTITION BY child.thread_id ORDER BY child.place
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) AS reached_ns
    FROM child
    WHERE child.thread_id IN (SELECT tangled.thread_id FROM tangled)
),

grouped AS (
    SELECT
        row_id,
        thread_id,
        start_ns,
        end_ns,
        max(CASE WHEN reached_ns >= start_ns THEN NULL ELSE place END) OVER (
            PARTITION BY thread_id ORDER BY place
        ) AS knot,
        min(row_id) OVER (PARTITION BY thread_id, start_ns, end_ns) AS first_row_id
    FROM suspect
),

knotted AS (
    SELECT
        grouped.row_id,
        grouped.thread_id,
        grouped.knot,
        grouped.end_ns,
        row_number() OVER (
            PARTITION BY grouped.thread_id, grouped.knot
            ORDER BY grouped.start_ns ASC, grouped.end_ns DESC, grouped.row_id ASC
        ) - 1 AS spot,
        row_number() OVER (
            PARTITION BY grouped.thread_id, grouped.knot
            ORDER BY grouped.end_ns - grouped.start_ns ASC, grouped.first_row_id ASC, grouped.row_id DESC
        ) AS shortness
    FROM grouped
    WHERE
        (grouped.thread_id, grouped.knot) IN (
            SELECT
                other.thread_id,
                other.knot
            FROM grouped AS other
            WHERE other.row_id IN (SELECT tangled.row_id FROM tangled)
        )
),

-- For blocks of 2, 4, 8 ... spots: the shortest of the left half that ends no earlier than one of the right half.
halved AS (
    SELECT
        knotted.row_id,
        knotted.thread_id,
        knotted.knot,
        (knotted.spot >> bit.bit) & 1 = 1 AS is_right,
        min(CASE WHEN (knotted.spot >> bit.bit) & 1 = 0 THEN knotted.shortness END) OVER (
            PARTITION BY knotted.thread_id, knotted.knot, bit.bit, knotted.spot >> (bit.bit + 1)
            ORDER BY knotted.end_ns DESC
        ) AS parent_shortness
    FROM knotted
    CROSS JOIN (
        SELECT unnest(range(1 + coalesce(floor(log2(max(spot)))::BIGINT, -1))) AS bit
        FROM knotted
    ) AS bit
),

sought AS (
    SELECT
        row_id,
        thread_id,
        knot,
        min(parent_shortness) AS parent_shortness
    FROM halved
    WHERE is_right
    GROUP BY row_id, thread_id, knot
),

linked AS (
    SELECT
        child.row_id,
        child.thread_id,
        child.start_ns,
        child.end_ns,
        child.place,
        child.is_repeat,
        child.repeated_by_row_id,
        CASE WHEN child.level > 0 THEN child.parent_place END AS parent_place
    FROM child
    WHERE child.row_id NOT IN (SELECT knotted.row_id FROM knotted)
    UNION ALL
    SELECT
        child.row_id,
        child.thread_id,
        child.start_ns,
        child.end_ns,
        child.place,
        child.is_repeat,
        child.repeated_by_row_id,
        parent_child.place AS parent_place
    FROM knotted
    INNER JOIN child ON knotted.row_id = child.row_id
    LEFT JOIN sought ON knotted.row_id = sought.row_id
    LEFT JOIN knotted AS parent
        ON
            sought.thread_id = parent.thread_id
            AND sought.knot = parent.knot
            AND sought.parent_shortness = parent.shortness
    LEFT JOIN child AS parent_child ON parent.row_id = parent_child.row_id
),

tree AS (
    SELECT
        row_id,
        thread_id,
        start_ns,
        end_ns,
        place,
        0::BIGINT AS level,
        NULL::BIGINT AS parent_row_id,
        row_id AS root_row_id,
        ':' || row_id AS path,
        row_id AS first_row_id,
        repeated_by_row_id AS nsys_parent_row_id,
        repeated_by_row_id IS NOT NULL AS is_lost_by_nsys
    FROM linked
    WHERE parent_place IS NULL
    UNION ALL
    SELECT
        linked.row_id,
        linked.thread_id,
        linked.start_ns,
        linked.end_ns,
        linked.place,
        tree.level + 1 AS level,
        tree.row_id AS parent_row_id,
        tree.root_row_id,
        tree.path || ':' || linked.row_id AS path,
        CASE WHEN linked.is_repeat THEN tree.first_row_id ELSE linked.row_id END AS first_row_id,
        CASE
            WHEN linked.is_repeat OR linked.repeated_by_row_id IS NULL THEN tree.first_row_id
            ELSE linked.repeated_by_row_id
        END AS nsys_parent_row_id,
        tree.is_lost_by_nsys OR linked.is_repeat OR linked.repeated_by_row_id IS NOT NULL AS is_lost_by_nsys
    FROM tree
    INNER JOIN linked ON tree.thread_id = linked.thread_id AND tree.place = linked.parent_place
)

SELECT
    row_id,
    thread_id,
    start_ns,
    end_ns,
    level,
    parent_row_id,
    root_row_id,
    path,
    nsys_parent_row_id,
    is_lost_by_nsys
FROM tree
