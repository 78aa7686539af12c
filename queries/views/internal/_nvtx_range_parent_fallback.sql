-- Rows of nvtx_range_parent for ranges that may cross: right for all exports, and slower.
--
-- A range is nested in each range of its thread that starts no later and ends no earlier; its parent is the
-- shortest of these, the first row of two as short. Where two ranges have the same start and end, the later
-- row lies in the earlier one, and what lies in both in the later; `nsys stats` takes each for the other's
-- parent, and loses both with all ranges nested in them.
--
-- Ranges that cross none are swept: going through the borders in order of time, the count of open ranges is a
-- range's level, and its parent is the last range before it that is one level less deep. That every range
-- ends within the parent found so proves that none cross. Among those that touch a range that crosses one,
-- the shortest is found by binary search. Both take n log n steps, or little more.
-- Needs  _nvtx_range_ids
-- Columns
--     row_id           BIGINT   -- Position in the export's table.
--     thread_id        BIGINT   -- Thread (globalTid).
--     start_ns         BIGINT   -- Start.
--     end_ns           BIGINT   -- End, or the latest timestamp of any range.
--     level            BIGINT   -- Number of ranges around it, parent by parent.
--     parent_row_id    BIGINT   -- Parent; NULL for none.
--     is_repeat        BOOLEAN  -- Has the start and end of its parent.
--     is_lost_by_nsys  BOOLEAN  -- Has the start and end of another range, or is in one that has.
WITH RECURSIVE opened AS (
    SELECT
        row_id,
        thread_id,
        start_ns,
        end_ns,
        row_number() OVER (
            ORDER BY
                thread_id ASC,
                3 * start_ns + CASE WHEN end_ns > start_ns THEN 2 ELSE 0 END ASC,
                end_ns DESC,
                row_id ASC
        ) AS place
    FROM _nvtx_thread_range
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

-- Of the borders up to the opening of a range, `place` are openings; the rest have closed.
levelled AS (
    SELECT
        row_id,
        thread_id,
        start_ns,
        end_ns,
        place,
        2 * place - 1 - row_number() OVER (ORDER BY thread_id ASC, moment ASC, place ASC NULLS FIRST) AS level
    FROM border
    QUALIFY place IS NOT NULL
),

swept AS (
    SELECT
        range.row_id,
        range.thread_id,
        range.start_ns,
        range.end_ns,
        range.place,
        range.level,
        parent.row_id AS parent_row_id,
        coalesce(parent.start_ns = range.start_ns AND parent.end_ns = range.end_ns, false) AS is_repeat,
        range.level > 0 AND coalesce(parent.end_ns < range.end_ns, true) AS is_tangled
    FROM levelled AS range
    ASOF LEFT JOIN levelled AS parent
        ON
            range.level = parent.level + 1
            AND range.place > parent.place
),

-- What has no length where another range opens can lie in that one and in one that closes there.
tangled AS (
    SELECT
        row_id,
        thread_id
    FROM swept
    WHERE
        is_tangled
        OR (
            end_ns > start_ns
            AND (thread_id, start_ns) IN (
                SELECT
                    levelled.thread_id,
                    levelled.start_ns
                FROM levelled
                WHERE levelled.end_ns = levelled.start_ns
            )
        )
),

-- The ranges of a thread with tangled ones, in knots that touch no other.
suspect AS (
    SELECT
        row_id,
        thread_id,
        start_ns,
        end_ns,
        place,
        max(end_ns) OVER (
            PARTITION BY thread_id ORDER BY place ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) AS reached_ns
    FROM levelled
    WHERE thread_id IN (SELECT tangled.thread_id FROM tangled)
),

grouped AS (
    SELECT
        row_id,
        thread_id,
        start_ns,
        end_ns,
        max(CASE WHEN reached_ns >= start_ns THEN NULL ELSE place END) OVER (ORDER BY place) AS knot,
        min(row_id) OVER (PARTITION BY thread_id, start_ns, end_ns) AS first_row_id
    FROM suspect
),

knotted AS (
    SELECT
        row_id,
        thread_id,
        knot,
        start_ns,
        end_ns,
        row_number() OVER (PARTITION BY knot ORDER BY start_ns ASC, end_ns DESC, row_id ASC) - 1 AS spot,
        row_number() OVER (
            PARTITION BY knot ORDER BY end_ns - start_ns ASC, first_row_id ASC, row_id DESC
        ) AS shortness
    FROM grouped
    WHERE
        knot IN (
            SELECT other.knot
            FROM grouped AS other
            WHERE other.row_id IN (SELECT tangled.row_id FROM tangled)
        )
),

bit AS (
    SELECT unnest(range(1 + coalesce(floor(log2(max(spot)))::BIGINT, -1))) AS bit
    FROM knotted
),

-- In blocks of 2, 4, 8 ... spots: for one of the right half, the shortest of the left half that ends no earlier.
halved AS (
    SELECT
        knotted.row_id,
        knotted.knot,
        (knotted.spot >> bit.bit) & 1 = 1 AS is_right,
        min(CASE WHEN (knotted.spot >> bit.bit) & 1 = 0 THEN knotted.shortness END) OVER (
            PARTITION BY knotted.knot, bit.bit, knotted.spot >> (bit.bit + 1)
            ORDER BY knotted.end_ns DESC
        ) AS shortness
    FROM knotted
    CROSS JOIN bit
),

sought AS (
    SELECT
        row_id,
        knot,
        min(shortness) AS shortness
    FROM halved
    WHERE is_right
    GROUP BY row_id, knot
),

untied AS (
    SELECT
        knotted.row_id,
        knotted.thread_id,
        knotted.start_ns,
        knotted.end_ns,
        parent.row_id AS parent_row_id,
        coalesce(parent.start_ns = knotted.start_ns AND parent.end_ns = knotted.end_ns, false) AS is_repeat
    FROM knotted
    LEFT JOIN sought ON knotted.row_id = sought.row_id
    LEFT JOIN knotted AS parent ON sought.knot = parent.knot AND sought.shortness = parent.shortness
),

-- Level by level would take as many steps as ranges lie in one another: each step here goes up twice as far.
climbed AS (
    SELECT
        row_id,
        parent_row_id AS above_row_id,
        CASE WHEN parent_row_id IS NULL THEN 0 ELSE 1 END::BIGINT AS level
    FROM untied
    UNION ALL
    SELECT
        climbed.row_id,
        above.above_row_id,
        climbed.level + coalesce(above.level, 0) AS level
    FROM climbed
    LEFT JOIN climbed AS above ON climbed.above_row_id = above.row_id
    WHERE
        EXISTS (
            SELECT 1
            FROM climbed AS other
            WHERE other.above_row_id IS NOT NULL
        )
),

untied_level AS (
    SELECT
        row_id,
        max(level) AS level
    FROM climbed
    WHERE above_row_id IS NULL
    GROUP BY row_id
),

linked AS (
    SELECT
        row_id,
        thread_id,
        start_ns,
        end_ns,
        level,
        parent_row_id,
        is_repeat
    FROM swept
    ANTI JOIN knotted ON swept.row_id = knotted.row_id
    UNION ALL
    SELECT
        untied.row_id,
        untied.thread_id,
        untied.start_ns,
        untied.end_ns,
        untied_level.level,
        untied.parent_row_id,
        untied.is_repeat
    FROM untied
    INNER JOIN untied_level ON untied.row_id = untied_level.row_id
),

repeat AS (
    SELECT parent_row_id
    FROM linked
    WHERE is_repeat
),

losing AS (
    SELECT
        row_id,
        parent_row_id AS above_row_id,
        is_repeat OR row_id IN (SELECT repeat.parent_row_id FROM repeat) AS is_lost
    FROM linked
    WHERE EXISTS (SELECT 1 FROM repeat)
    UNION ALL
    SELECT
        losing.row_id,
        above.above_row_id,
        losing.is_lost OR coalesce(above.is_lost, false) AS is_lost
    FROM losing
    LEFT JOIN losing AS above ON losing.above_row_id = above.row_id
    WHERE
        EXISTS (
            SELECT 1
            FROM losing AS other
            WHERE other.above_row_id IS NOT NULL
        )
),

lost AS (
    SELECT DISTINCT row_id
    FROM losing
    WHERE is_lost
)

SELECT
    row_id,
    thread_id,
    start_ns,
    end_ns,
    level,
    parent_row_id,
    is_repeat,
    row_id IN (SELECT lost.row_id FROM lost) AS is_lost_by_nsys
FROM linked
