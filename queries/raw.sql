-- What an export may hold: each NVIDIA table and column that nsysql reads, and nothing else.
--
-- An export has only the tables that got rows, and only the columns that its nsys version knew.
-- Opening one lays these tables out in full, NULL or empty where the file has nothing, so that no
-- view or query ever asks whether a column exists. A column that NVIDIA renamed stands here under
-- both names. `rowid` is the row's position in its table, which every export has.
--
-- The comment of a table names the `nsys profile` option that records it, where there is one.

-- Text and facts about the capture ------------------------------------------------------------

CREATE TABLE StringIds (                   -- Every text that events name by a number.
    id BIGINT,
    value VARCHAR
);

CREATE TABLE META_DATA_EXPORT (            -- How the export was made (since schema 3.4.0).
    name VARCHAR,
    value VARCHAR
);

CREATE TABLE EXPORT_META_DATA (            -- The same, under its name up to schema 3.1.7.
    name VARCHAR,
    value VARCHAR
);

CREATE TABLE META_DATA_CAPTURE (           -- How the capture was made.
    name VARCHAR,
    value VARCHAR
);

CREATE TABLE ANALYSIS_DETAILS (            -- One row: the capture's length.
    duration BIGINT,
    startTime BIGINT,                      -- Another clock than the events' in some exports since 2025.5.
    stopTime BIGINT
);

CREATE TABLE TARGET_INFO_GPU (             -- The machine's GPUs.
    rowid BIGINT,
    vmId BIGINT,
    id BIGINT,
    deviceId BIGINT,                       -- Name of id in version-less exports.
    name VARCHAR,
    busLocation VARCHAR,
    totalMemory BIGINT,                    -- Bytes.
    memoryBandwidth BIGINT,                -- Bytes per second.
    clockRate BIGINT,                      -- Hz.
    smCount BIGINT,
    uuid VARCHAR,
    computeMajor BIGINT,
    computeMinor BIGINT
);

CREATE TABLE TARGET_INFO_CUDA_GPU (        -- The GPUs as CUDA sees them; version-less exports only.
    deviceId BIGINT,
    numMultiprocessors BIGINT,
    computeCapabilityMajor BIGINT,
    computeCapabilityMinor BIGINT
);

CREATE TABLE TARGET_INFO_CUDA_DEVICE (     -- Which GPU a process means by a CUDA ordinal (since 3.17).
    gpuId BIGINT,
    cudaId BIGINT,
    pid BIGINT,
    uuid VARCHAR
);

CREATE TABLE TARGET_INFO_CUDA_STREAM (     -- The CUDA streams.
    streamId BIGINT,
    processId BIGINT,
    contextId BIGINT,
    priority BIGINT,
    flag BIGINT
);

CREATE TABLE PROCESSES (                   -- Every process of the machine, profiled or not.
    globalPid BIGINT,
    pid BIGINT,
    name VARCHAR
);

CREATE TABLE ThreadNames (                 -- Every thread of the machine, profiled or not.
    rowid BIGINT,
    nameId BIGINT,
    priority BIGINT,
    globalTid BIGINT
);

-- CUDA: calls on the CPU, work on the GPU ------------------------------------------------------

CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (  -- CUDA API calls. Captured with --trace=cuda.
    rowid BIGINT,
    start BIGINT,
    "end" BIGINT,
    eventClass BIGINT,                     -- 0 runtime, 1 driver.
    globalTid BIGINT,
    correlationId BIGINT,                  -- Unique within a process only.
    nameId BIGINT,
    returnValue BIGINT,
    callchainId BIGINT
);

CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (  -- Kernels on the GPU. Captured with --trace=cuda.
    rowid BIGINT,
    start BIGINT,
    "end" BIGINT,
    deviceId BIGINT,
    contextId BIGINT,
    greenContextId BIGINT,                 -- Since 3.7.
    streamId BIGINT,
    correlationId BIGINT,
    globalPid BIGINT,
    demangledName BIGINT,
    shortName BIGINT,
    mangledName BIGINT,                    -- Since 2.9.
    registersPerThread BIGINT,
    gridX BIGINT,
    gridY BIGINT,
    gridZ BIGINT,
    blockX BIGINT,
    blockY BIGINT,
    blockZ BIGINT,
    staticSharedMemory BIGINT,             -- Bytes.
    dynamicSharedMemory BIGINT,            -- Bytes.
    graphNodeId BIGINT                     -- Set where a CUDA graph ran the kernel.
);

CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (  -- Copies on the GPU. Captured with --trace=cuda.
    rowid BIGINT,
    start BIGINT,
    "end" BIGINT,
    deviceId BIGINT,
    contextId BIGINT,
    greenContextId BIGINT,                 -- Since 3.7.
    streamId BIGINT,
    correlationId BIGINT,                  -- NULL for unified-memory migrations.
    globalPid BIGINT,
    bytes BIGINT,
    copyKind BIGINT,
    srcKind BIGINT,
    dstKind BIGINT,
    srcDeviceId BIGINT,                    -- Peer copies only.
    dstDeviceId BIGINT,
    migrationCause BIGINT,
    graphNodeId BIGINT,
    virtualAddress BIGINT
);

CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (  -- Memory sets on the GPU. Captured with --trace=cuda.
    rowid BIGINT,
    start BIGINT,
    "end" BIGINT,
    deviceId BIGINT,
    contextId BIGINT,
    greenContextId BIGINT,                 -- Since 3.7.
    streamId BIGINT,
    correlationId BIGINT,
    globalPid BIGINT,
    bytes BIGINT,
    memKind BIGINT,
    graphNodeId BIGINT
);

CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (  -- Whole CUDA graph runs. Captured with --cuda-graph-trace=graph.
    rowid BIGINT,
    start BIGINT,
    "end" BIGINT,
    deviceId BIGINT,
    contextId BIGINT,
    greenContextId BIGINT,
    streamId BIGINT,
    correlationId BIGINT,
    globalPid BIGINT,
    graphId BIGINT,
    graphExecId BIGINT
);

CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (  -- Waits of the CPU, and of streams, for the GPU. Captured with --trace=cuda.
    rowid BIGINT,
    start BIGINT,
    "end" BIGINT,
    deviceId BIGINT,
    contextId BIGINT,
    streamId BIGINT,                       -- 4294967295 means none.
    correlationId BIGINT,
    globalPid BIGINT,
    syncType BIGINT,
    eventId BIGINT                         -- 4294967295 means none.
);

CREATE TABLE CUPTI_ACTIVITY_KIND_OVERHEAD (  -- What tracing and lazy loading cost (since 3.24). Captured with --trace=cuda.
    rowid BIGINT,
    start BIGINT,
    "end" BIGINT,
    globalTid BIGINT,
    nameId BIGINT,
    overheadType BIGINT
);

CREATE TABLE PROFILER_OVERHEAD (           -- What the profiler itself cost.
    rowid BIGINT,
    start BIGINT,
    "end" BIGINT,
    globalTid BIGINT,
    nameId BIGINT,
    overheadType BIGINT                    -- Since 3.24.
);

CREATE TABLE DIAGNOSTIC_EVENT (            -- What nsys had to say about the capture (since 3.11).
    rowid BIGINT,
    timestamp BIGINT,
    severity BIGINT,
    text VARCHAR
);

-- The program on the CPU -----------------------------------------------------------------------

CREATE TABLE NVTX_EVENTS (                 -- NVTX ranges and marks. Captured with --trace=nvtx.
    rowid BIGINT,
    start BIGINT,
    "end" BIGINT,
    eventType BIGINT,
    rangeId BIGINT,
    text VARCHAR,
    globalTid BIGINT,
    endGlobalTid BIGINT,
    textId BIGINT,
    domainId BIGINT
);

CREATE TABLE OSRT_API (                    -- OS runtime calls. Captured with --trace=osrt.
    rowid BIGINT,
    start BIGINT,
    "end" BIGINT,
    eventClass BIGINT,                     -- 27 whole calls; 31 and 32 unfinished ones.
    globalTid BIGINT,
    nameId BIGINT,
    nestingLevel BIGINT,
    callchainId BIGINT
);

-- Labels ---------------------------------------------------------------------------------------

CREATE TABLE ENUM_CUDA_MEMCPY_OPER (       -- Labels of copyKind; absent from exports up to 2.9.1.
    id BIGINT,
    label VARCHAR
);

CREATE TABLE ENUM_CUDA_MEM_KIND (          -- Labels of srcKind, dstKind and memKind.
    id BIGINT,
    label VARCHAR
);

CREATE TABLE ENUM_CUPTI_SYNC_TYPE (        -- Labels of syncType.
    id BIGINT,
    label VARCHAR
);
