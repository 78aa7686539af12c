-- What an export can contain: each NVIDIA table and column that nsysql reads, and nothing else.
--
-- An export has only the tables that got rows, and only the columns that its nsys version knew.
-- Opening one creates these tables in full, NULL or empty for what the file lacks, so that no
-- view or query ever asks whether a column exists. A column that NVIDIA renamed is listed under
-- both names. `rowid` is the row's position in its table, which every export has. A table AS FROM another has its columns.
--
-- The comment of a table names the `nsys profile` option that records it, if there is one.

-- Text and facts about the capture ------------------------------------------------------------

CREATE TABLE StringIds (                   -- Every text that events name by a number.
    id BIGINT,
    value VARCHAR
);

CREATE TABLE META_DATA_EXPORT (            -- How the export was made (since schema 3.4.0).
    name VARCHAR,
    value VARCHAR
);

CREATE TABLE EXPORT_META_DATA AS FROM META_DATA_EXPORT;  -- The same, under its name up to schema 3.1.7.

CREATE TABLE META_DATA_CAPTURE AS FROM META_DATA_EXPORT;  -- How the capture was made.

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
    computeMinor BIGINT,
    asyncEngines BIGINT,                   -- Copies at the same time.
    maxWarpsPerSm BIGINT,
    maxBlocksPerSm BIGINT,                 -- 0 where nsys did not know.
    maxRegistersPerSm BIGINT,
    maxShmemPerSm BIGINT                   -- Bytes.
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
    graphNodeId BIGINT,                    -- Set where a CUDA graph ran the kernel.
    clusterX BIGINT,                       -- Blocks of a cluster; later versions, 0 without clusters.
    clusterY BIGINT,
    clusterZ BIGINT
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

CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (  -- Memsets on the GPU. Captured with --trace=cuda.
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

CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (  -- CUDA graphs traced as a whole, in place of their nodes. Captured with --cuda-graph-trace=graph.
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

CREATE TABLE CUDA_UM_CPU_PAGE_FAULT_EVENTS (  -- Page faults of the CPU on unified memory. Captured with --cuda-um-cpu-page-faults=true.
    rowid BIGINT,
    start BIGINT,
    globalPid BIGINT,
    address BIGINT,
    CpuInstruction BIGINT,                 -- Function of the faulting instruction, or its address.
    module BIGINT,
    sourceFile BIGINT,                     -- This and the next in later versions.
    sourceLine BIGINT
);

CREATE TABLE CUDA_UM_GPU_PAGE_FAULT_EVENTS (  -- Page faults of a GPU on unified memory. Captured with --cuda-um-gpu-page-faults=true.
    rowid BIGINT,
    start BIGINT,
    "end" BIGINT,
    globalPid BIGINT,
    deviceId BIGINT,
    address BIGINT,
    numberOfPageFaults BIGINT,
    faultAccessType BIGINT
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

CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT (  -- CUDA events recorded on streams. Captured with --cuda-event-trace=true.
    rowid BIGINT,
    deviceId BIGINT,
    contextId BIGINT,
    streamId BIGINT,
    correlationId BIGINT,                  -- Shared with the recording call.
    globalPid BIGINT,
    eventId BIGINT
);

CREATE TABLE CUPTI_ACTIVITY_KIND_OVERHEAD (  -- What tracing and lazy loading cost (since 3.24). Captured with --trace=cuda.
    rowid BIGINT,
    start BIGINT,
    "end" BIGINT,
    globalTid BIGINT,
    nameId BIGINT,
    overheadType BIGINT
);

CREATE TABLE PROFILER_OVERHEAD AS FROM CUPTI_ACTIVITY_KIND_OVERHEAD;  -- What the profiler itself cost.

CREATE TABLE DIAGNOSTIC_EVENT (            -- What nsys had to say about the capture (since 3.11).
    rowid BIGINT,
    timestamp BIGINT,
    severity BIGINT,
    text VARCHAR,
    globalPid BIGINT
);

CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (  -- Memory allocated and freed. Captured with --cuda-memory-usage=true.
    rowid BIGINT,
    start BIGINT,
    globalPid BIGINT,
    deviceId BIGINT,
    contextId BIGINT,
    address BIGINT,
    bytes BIGINT,
    memKind BIGINT,
    memoryOperationType BIGINT,            -- 0 allocated, 1 freed.
    name VARCHAR,                          -- Of a static variable.
    correlationId BIGINT,                  -- Shared with the call.
    localMemoryPoolAddress BIGINT,         -- Of a memory pool; NULL if none.
    localMemoryPoolReleaseThreshold BIGINT,  -- Bytes that the pool keeps.
    localMemoryPoolSize BIGINT,            -- Bytes that the pool has of the GPU then.
    localMemoryPoolUtilizedSize BIGINT     -- Bytes of these that are allocated then.
);

CREATE TABLE CUDA_GPU_MEMORY_POOL_EVENTS (  -- Memory pools made, trimmed and destroyed. Captured with --cuda-memory-usage=true.
    rowid BIGINT,
    start BIGINT,
    globalPid BIGINT,
    deviceId BIGINT,
    address BIGINT,                        -- Of the pool.
    operationType BIGINT,                  -- 1 created, 2 destroyed, 3 trimmed.
    poolType BIGINT,                       -- 1 local, 2 imported from another process.
    correlationId BIGINT,                  -- Shared with the call.
    minBytesToKeep BIGINT,                 -- Of a trim.
    localMemoryPoolReleaseThreshold BIGINT,  -- Bytes that the pool keeps.
    localMemoryPoolSize BIGINT,            -- Bytes that the pool has of the GPU then.
    localMemoryPoolUtilizedSize BIGINT     -- Bytes of these that are allocated then.
);

CREATE TABLE GPU_METRICS (                 -- Samples of a GPU's hardware counters. Captured with --gpu-metrics-devices=all.
    rowid BIGINT,
    timestamp BIGINT,                      -- End of the time that was sampled.
    typeId BIGINT,                         -- Its low 8 bits are the GPU.
    metricId BIGINT,
    value BIGINT                           -- Per cent, or Hz for clocks.
);

CREATE TABLE TARGET_INFO_GPU_METRICS (     -- Names of these metrics.
    typeId BIGINT,
    metricId BIGINT,                       -- Not the same in all exports.
    metricName VARCHAR
);

-- The program on the CPU -----------------------------------------------------------------------

CREATE TABLE NVTX_EVENTS (                 -- NVTX ranges and marks. Captured with --trace=nvtx. Timeless where eventType IN (33, 39, 75).
    rowid BIGINT,
    start BIGINT,
    "end" BIGINT,
    eventType BIGINT,
    rangeId BIGINT,
    text VARCHAR,
    globalTid BIGINT,
    endGlobalTid BIGINT,
    textId BIGINT,
    domainId BIGINT,
    category BIGINT,
    color BIGINT,                          -- ARGB; what the program gave, often without alpha.
    binaryData BLOB                        -- Payload; since 3.16.1, where the export was made with blobs. Read by pushdown alone.
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

CREATE TABLE SYSCALL (                     -- System calls; exports of later versions. Captured with --trace=syscall.
    rowid BIGINT,
    start BIGINT,
    "end" BIGINT,
    globalTid BIGINT,
    nameId BIGINT
);

-- MPI, OpenMP, OpenACC -----------------------------------------------------------------------

CREATE TABLE MPI_P2P_EVENTS (              -- MPI sends and receives; a send-receive has a row for each. Captured with --trace=mpi.
    rowid BIGINT,
    start BIGINT,
    "end" BIGINT,                          -- NULL if the call was still under way.
    globalTid BIGINT,
    textId BIGINT,
    tag BIGINT,
    remoteRank BIGINT,
    size BIGINT                            -- Bytes.
);

CREATE TABLE MPI_COLLECTIVES_EVENTS (      -- MPI collectives. Captured with --trace=mpi.
    rowid BIGINT,
    start BIGINT,
    "end" BIGINT,
    globalTid BIGINT,
    textId BIGINT,
    commHandle BIGINT,                     -- Communicator, as a number of the process.
    rootRank BIGINT,
    size BIGINT,                           -- Bytes sent.
    recvSize BIGINT                        -- Bytes received.
);

CREATE TABLE MPI_START_WAIT_EVENTS (       -- MPI calls that start requests or wait for them. Captured with --trace=mpi.
    rowid BIGINT,
    start BIGINT,
    "end" BIGINT,
    globalTid BIGINT,
    textId BIGINT
);

CREATE TABLE MPI_OTHER_EVENTS AS FROM MPI_START_WAIT_EVENTS;  -- All other MPI calls. Captured with --trace=mpi.

CREATE TABLE MPI_RANKS (                   -- The rank of a thread; absent where no communicator was seen.
    rowid BIGINT,
    globalTid BIGINT,
    rank BIGINT
);

CREATE TABLE MPI_COMMUNICATORS (           -- The communicators that a process made. Captured with --trace=mpi.
    rowid BIGINT,
    rank BIGINT,
    commHandle BIGINT,
    size BIGINT                            -- Ranks in it.
);

CREATE TABLE CUPTI_ACTIVITY_KIND_OPENACC_DATA (  -- OpenACC data movement. Captured with --trace=openacc.
    rowid BIGINT,
    start BIGINT,
    "end" BIGINT,
    nameId BIGINT,
    globalTid BIGINT,
    lineNo BIGINT,
    srcFile BIGINT,
    funcName BIGINT
);

CREATE TABLE CUPTI_ACTIVITY_KIND_OPENACC_LAUNCH AS FROM CUPTI_ACTIVITY_KIND_OPENACC_DATA;  -- OpenACC kernel launches. Captured with --trace=openacc.
CREATE TABLE CUPTI_ACTIVITY_KIND_OPENACC_OTHER AS FROM CUPTI_ACTIVITY_KIND_OPENACC_DATA;  -- Other OpenACC events. Captured with --trace=openacc.

CREATE TABLE OPENMP_EVENT_KIND_CANCEL AS FROM SYSCALL;  -- OpenMP events of this kind. Captured with --trace=openmp.

CREATE TABLE OPENMP_EVENT_KIND_CRITICAL_SECTION AS FROM OPENMP_EVENT_KIND_CANCEL;
CREATE TABLE OPENMP_EVENT_KIND_DISPATCH AS FROM OPENMP_EVENT_KIND_CANCEL;
CREATE TABLE OPENMP_EVENT_KIND_FLUSH AS FROM OPENMP_EVENT_KIND_CANCEL;
CREATE TABLE OPENMP_EVENT_KIND_LOCK_DESTROY AS FROM OPENMP_EVENT_KIND_CANCEL;
CREATE TABLE OPENMP_EVENT_KIND_LOCK_INIT AS FROM OPENMP_EVENT_KIND_CANCEL;
CREATE TABLE OPENMP_EVENT_KIND_MASTER AS FROM OPENMP_EVENT_KIND_CANCEL;
CREATE TABLE OPENMP_EVENT_KIND_MUTEX_RELEASED AS FROM OPENMP_EVENT_KIND_CANCEL;
CREATE TABLE OPENMP_EVENT_KIND_MUTEX_WAIT AS FROM OPENMP_EVENT_KIND_CANCEL;
CREATE TABLE OPENMP_EVENT_KIND_PARALLEL AS FROM OPENMP_EVENT_KIND_CANCEL;
CREATE TABLE OPENMP_EVENT_KIND_REDUCTION AS FROM OPENMP_EVENT_KIND_CANCEL;
CREATE TABLE OPENMP_EVENT_KIND_SYNC_REGION AS FROM OPENMP_EVENT_KIND_CANCEL;
CREATE TABLE OPENMP_EVENT_KIND_SYNC_REGION_WAIT AS FROM OPENMP_EVENT_KIND_CANCEL;
CREATE TABLE OPENMP_EVENT_KIND_TASK AS FROM OPENMP_EVENT_KIND_CANCEL;
CREATE TABLE OPENMP_EVENT_KIND_TASK_CREATE AS FROM OPENMP_EVENT_KIND_CANCEL;
CREATE TABLE OPENMP_EVENT_KIND_TASK_SCHEDULE AS FROM OPENMP_EVENT_KIND_CANCEL;
CREATE TABLE OPENMP_EVENT_KIND_THREAD AS FROM OPENMP_EVENT_KIND_CANCEL;
CREATE TABLE OPENMP_EVENT_KIND_WORKSHARE AS FROM OPENMP_EVENT_KIND_CANCEL;

-- Graphics and video ---------------------------------------------------------------------------

CREATE TABLE VULKAN_API (                  -- Vulkan calls on the CPU. Captured with --trace=vulkan.
    rowid BIGINT,
    start BIGINT,
    "end" BIGINT,
    eventClass BIGINT,                     -- 53 calls.
    globalTid BIGINT,
    correlationId BIGINT,
    nameId BIGINT,
    contextId BIGINT
);

CREATE TABLE VULKAN_DEBUG_API (            -- Calls that begin (with text) and end (without) a Vulkan debug marker. Captured with --trace=vulkan-annotations.
    rowid BIGINT,
    start BIGINT,
    "end" BIGINT,
    globalTid BIGINT,
    correlationId BIGINT,
    textId BIGINT
);

CREATE TABLE VULKAN_WORKLOAD (             -- Vulkan work on the GPU. Captured with --trace=vulkan.
    rowid BIGINT,
    start BIGINT,
    "end" BIGINT,
    globalTid BIGINT,
    gpu BIGINT,
    contextId BIGINT,
    textId BIGINT                          -- The debug marker around it.
);

CREATE TABLE OPENGL_WORKLOAD (             -- OpenGL work on the GPU. Captured with --trace=opengl.
    rowid BIGINT,
    start BIGINT,
    "end" BIGINT,
    globalTid BIGINT,
    gpu BIGINT,
    contextId BIGINT
);

CREATE TABLE KHR_DEBUG_EVENTS (            -- OpenGL debug groups and messages. Captured with --trace=opengl-annotations.
    rowid BIGINT,
    start BIGINT,
    "end" BIGINT,                          -- NULL if the group was never closed.
    eventClass BIGINT,                     -- 62 groups on the CPU, 63 on the GPU.
    globalTid BIGINT,
    textId BIGINT,
    id BIGINT
);

CREATE TABLE D3D11_PIX_DEBUG_API AS FROM VULKAN_DEBUG_API;  -- Calls that begin (with text) and end (without) a PIX marker of Direct3D 11. Captured with --trace=dx11-annotations.

CREATE TABLE D3D12_PIX_DEBUG_API AS FROM VULKAN_DEBUG_API;  -- Calls that begin (with text) and end (without) a PIX marker of Direct3D 12. Captured with --trace=dx12-annotations.

CREATE TABLE DX12_API (                    -- Direct3D 12 calls on the CPU. Captured with --trace=dx12.
    id BIGINT,
    start BIGINT,
    "end" BIGINT,
    globalTid BIGINT,
    nameId BIGINT
);

CREATE TABLE DX12_MEMORY_OPERATION (       -- What a Direct3D 12 call does with memory. Captured with --trace=dx12.
    rowid BIGINT,
    gpu BIGINT,
    heapType BIGINT,                       -- 1 upload, 2 readback.
    heapFlags BIGINT,
    cpuPageProperty BIGINT,                -- 2 write-combine, 3 write-back.
    traceEventId BIGINT                    -- DX12_API.id
);

CREATE TABLE DX12_WORKLOAD (               -- Direct3D 12 work on the GPU. Captured with --trace=dx12.
    rowid BIGINT,
    start BIGINT,
    "end" BIGINT,
    globalTid BIGINT,
    gpu BIGINT,
    shortContextId BIGINT,
    longContextId BIGINT,
    textId BIGINT                          -- The PIX marker around it.
);

CREATE TABLE NVVIDEO_ENCODER_API AS FROM SYSCALL;  -- Calls of the video encoder. Captured with --trace=nvvideo.
CREATE TABLE NVVIDEO_DECODER_API AS FROM NVVIDEO_ENCODER_API;  -- Calls of the video decoder. Captured with --trace=nvvideo.
CREATE TABLE NVVIDEO_JPEG_API AS FROM NVVIDEO_ENCODER_API;  -- Calls of the JPEG decoder. Captured with --trace=nvvideo.

CREATE TABLE TARGET_INFO_WDDM_CONTEXTS (   -- Queues of the Windows display driver model. Captured with --trace=wddm.
    rowid BIGINT,
    context BIGINT,
    engineType BIGINT,
    nodeOrdinal BIGINT,
    friendlyName VARCHAR
);

CREATE TABLE WDDM_QUEUE_PACKET_START_EVENTS (  -- A packet enters a queue of the driver. Captured with --trace=wddm.
    rowid BIGINT,
    start BIGINT,
    "end" BIGINT,                          -- Never set; filters of time look at it.
    globalTid BIGINT,
    gpu BIGINT,
    context BIGINT,
    submitSequence BIGINT,
    engineType BIGINT
);

CREATE TABLE WDDM_QUEUE_PACKET_STOP_EVENTS AS FROM WDDM_QUEUE_PACKET_START_EVENTS;  -- It leaves the queue. Captured with --trace=wddm.

CREATE TABLE WDDM_DMA_PACKET_START_EVENTS (  -- A packet enters a queue of the hardware. Captured with --trace=wddm.
    rowid BIGINT,
    start BIGINT,
    "end" BIGINT,                          -- Never set; filters of time look at it.
    globalTid BIGINT,
    gpu BIGINT,
    context BIGINT,
    uliSubmissionId BIGINT,
    engineType BIGINT
);

CREATE TABLE WDDM_DMA_PACKET_STOP_EVENTS (  -- It leaves the queue. Captured with --trace=wddm.
    rowid BIGINT,
    start BIGINT,
    "end" BIGINT,                          -- Never set; filters of time look at it.
    globalTid BIGINT,
    gpu BIGINT,
    context BIGINT,
    uliCompletionId BIGINT,
    engineType BIGINT
);

CREATE TABLE WDDM_HW_QUEUE_EVENTS (        -- Hardware queues and the queues they serve. Captured with --trace=wddm.
    rowid BIGINT,
    start BIGINT,                          -- Filters of time look at it and the next two.
    "end" BIGINT,
    globalTid BIGINT,
    context BIGINT,
    hwQueue BIGINT,
    parentDxgHwQueue BIGINT
);

-- Network --------------------------------------------------------------------------------------

CREATE TABLE NET_NIC_METRIC (              -- Samples of network adapters. Captured with --nic-metrics=true.
    rowid BIGINT,
    start BIGINT,
    "end" BIGINT,
    globalId BIGINT,
    metricsListId BIGINT,
    metricsIdx BIGINT,
    value BIGINT
);

CREATE TABLE NET_IB_SWITCH_METRIC AS FROM NET_NIC_METRIC;  -- Samples of InfiniBand switches. Captured with --ib-switch-metrics-device=GUID.

CREATE TABLE TARGET_INFO_NETWORK_METRICS (  -- Names of the sampled metrics.
    metricsListId BIGINT,
    metricsIdx BIGINT,
    name VARCHAR
);

CREATE TABLE TARGET_INFO_NIC_INFO (        -- Network adapters.
    rowid BIGINT,
    GUID BIGINT,
    globalId BIGINT,                       -- Name of GUID before 3.7.
    nicId BIGINT,
    deviceId BIGINT
);

CREATE TABLE NIC_ID_MAP (                  -- Which adapter a sample's globalId means.
    rowid BIGINT,
    nicId BIGINT,
    globalId BIGINT
);

CREATE TABLE SCHED_EVENTS (                -- Threads put on and taken off a CPU. Captured with --cpuctxsw=process-tree. Timeless where true.
    rowid BIGINT,
    start BIGINT,
    cpu BIGINT,
    isSchedIn BIGINT,                      -- 1 on, 0 off.
    globalTid BIGINT,
    threadState BIGINT                     -- State in which a thread left the CPU; 1 is ready to run. Since 3.13.
);

CREATE TABLE CUDA_CALLCHAINS (             -- Functions on the stack of a CUDA call. Captured with --cudabacktrace=all.
    id BIGINT,
    stackDepth BIGINT,                     -- 0 is innermost.
    symbol BIGINT,
    module BIGINT,
    unresolved BIGINT
);

CREATE TABLE OSRT_CALLCHAINS AS FROM CUDA_CALLCHAINS;  -- Functions on the stack of a long OS runtime call. Captured with --trace=osrt.

CREATE TABLE SAMPLING_CALLCHAINS (         -- Functions on the stack of a CPU sample. Captured with --sample=process-tree.
    id BIGINT,                             -- That of the sample.
    stackDepth BIGINT,
    symbol BIGINT,
    module BIGINT,
    unresolved BIGINT,
    kernelMode BIGINT
);

CREATE TABLE COMPOSITE_EVENTS (            -- CPU samples. Captured with --sample=process-tree.
    id BIGINT,
    start BIGINT,
    globalTid BIGINT
);

-- Labels ---------------------------------------------------------------------------------------

CREATE TABLE ENUM_CUDA_MEMCPY_OPER (       -- Labels of copyKind; absent from exports up to 2.9.1.
    id BIGINT,
    label VARCHAR
);

CREATE TABLE ENUM_CUDA_MEM_KIND AS FROM ENUM_CUDA_MEMCPY_OPER;  -- Labels of srcKind, dstKind and memKind.

CREATE TABLE ENUM_CUPTI_SYNC_TYPE AS FROM ENUM_CUDA_MEMCPY_OPER;  -- Labels of syncType.

CREATE TABLE ENUM_NET_DEVICE_ID AS FROM ENUM_CUDA_MEMCPY_OPER;  -- Labels of a network adapter's deviceId.
