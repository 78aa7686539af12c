-- Parts of the ids that nsys packs into one number: globalTid is the process's globalPid with the thread in its
-- lowest 24 bits, and the pid in the 24 above them. Every view and query can call these functions.
-- noqa: disable=CP05

CREATE MACRO process_of(global_tid) AS global_tid & ~16777215;  -- globalPid of a globalTid
CREATE MACRO pid_of(global_id) AS (global_id >> 24) & 16777215;  -- of a globalTid or a globalPid
CREATE MACRO tid_of(global_tid) AS global_tid & 16777215;
