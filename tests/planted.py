"""An export with something private in every place where nsys keeps such things, for the tests of privacy."""

import sqlite3
from pathlib import Path

import pyarrow as pa

USER, HOST, TOKEN, FOLDER, PRINTED = "alicia", "gpu-box-17", "hunter2-very-secret", "/home/alicia/merger", "dear-diary"
PRIVATE = (USER, HOST, TOKEN, "merger", PRINTED, "rendezvous", "10.20.30.40", "alicia@example.org", "Quartalszahlen")

SQL = f"""
CREATE TABLE IF NOT EXISTS META_DATA_CAPTURE (name TEXT, value TEXT);
CREATE TABLE IF NOT EXISTS META_DATA_EXPORT (name TEXT, value TEXT);
CREATE TABLE EXPORT_META_DATA (name TEXT, value TEXT);
INSERT INTO META_DATA_CAPTURE VALUES
    ('PROCESS_0:ENVIRONMENT_VARIABLE', 'HF_TOKEN="{TOKEN}"'),
    ('PROCESS_0:ENVIRONMENT_VARIABLE', 'LS_COLORS="rendezvous"'),
    ('PROCESS_0:ENVIRONMENT_VARIABLE', 'LOGNAME="{USER}"'),
    ('PROCESS_0:COMMAND', '{FOLDER}/train.py'),
    ('PROCESS_0:ARGUMENT_0', '--password={TOKEN}'),
    ('PROCESS_0:ARGUMENT_1', 'rendezvous'),
    ('PROCESS_0:WORKING_DIR', '{FOLDER}'),
    ('PROCESS_1:WORKING_DIR', 'runs/merger'),
    ('PROCESS_0:USER_NAME', '{USER}'),
    ('DEVICE_DISPLAY_NAME', '{HOST}'),
    (NULL, 'LS_COLORS="rendezvous"');
INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_HOST', '{HOST}'), ('EXPORT_USER', '{USER}'),
    ('EXPORT_PARAM_OUTUPT_PATH_ABS', '{FOLDER}/run.sqlite');
INSERT INTO EXPORT_META_DATA VALUES ('EXPORT_HOST', '{HOST}'), ('EXPORT_INPUT_PATH', 'D:\\{USER}\\merger\\a.nsys-rep');
CREATE TABLE TARGET_INFO_SYSTEM_ENV (globalVid INTEGER, devStateName TEXT, name TEXT, nameEnum INTEGER, value TEXT);
INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES (1, 'Local (CLI)', 'Hostname', 1, '{HOST}'),
    (1, 'Local (CLI)', 'DeviceEnvironment', 2, 'X=rendezvous' || char(10) || 'HF_TOKEN={TOKEN}'),
    (1, 'Local (CLI)', 'TargetInstallDir', 3, '{FOLDER}/nsight'),
    (1, 'Local (CLI)', 'PluginsInfo', 4, '{{"BaseDir": "{FOLDER}/plugins"}}'),
    (1, 'Local (CLI)', 'CpuCores', 5, '8');
CREATE TABLE ProcessStreams (globalPid INTEGER, filenameId INTEGER, contentId INTEGER);
CREATE TABLE ANALYSIS_FILE (id INTEGER PRIMARY KEY, filename TEXT, content TEXT, globalPid INTEGER);
CREATE TABLE OSRT_FILE_ACCESS_DESCRIPTORS (fileAccessId INTEGER, processId INTEGER, filePath TEXT);
INSERT INTO OSRT_FILE_ACCESS_DESCRIPTORS VALUES (1, 2, '{FOLDER}/Q3 Quartalszahlen/x.csv');
INSERT INTO ANALYSIS_FILE VALUES (0, '{FOLDER}/stdout.log', '{PRINTED}', 1);
INSERT INTO ProcessStreams VALUES (1, 900001, 900002);
INSERT INTO StringIds (id, value) VALUES (900001, '{FOLDER}/stdout.log'), (900002, '{PRINTED} of {USER}'),
    (900003, 'HF_TOKEN={TOKEN}'), (900004, 'HOME={FOLDER}' || char(10) || 'HF_TOKEN={TOKEN}'), (900005, 'LS_COLORS=rendezvous'),
    (900013, 'Quartalszahlen'),
    (900006, '{FOLDER}/libmine.so'), (900007, 'kernel<(int)1/2>(float const*, char/*, {FOLDER}/k.cu:7)'),
    (900008, 'load {FOLDER}/set 1 on {HOST} for {USER}, HF_TOKEN={TOKEN}'), (900009, 'python [{USER}]'),
    (900010, 'layer1/attention/q_proj'), (900011, '/model/layers.0/MatMul'), (900012, 'HF_TOKEN={TOKEN}');
CREATE TABLE IF NOT EXISTS CUDA_CALLCHAINS (id INTEGER, symbol INTEGER, module INTEGER, unresolved INTEGER, stackDepth INTEGER);
INSERT INTO CUDA_CALLCHAINS (id, symbol, module, unresolved, stackDepth) VALUES (990, 900007, 900006, 0, 0);
INSERT INTO ThreadNames (nameId, priority, globalTid) VALUES (900009, 0, 1);
INSERT INTO PROCESSES (globalPid, pid, name) VALUES (99 << 24, 99, '{FOLDER}/bin/train');
INSERT INTO NVTX_EVENTS (start, "end", eventType, text, textId, globalTid, domainId) VALUES
    (1, 2, 59, NULL, 900008, 1, 0), (3, 4, 59, NULL, 900010, 1, 0), (5, 6, 59, NULL, 900011, 1, 0),
    (7, 8, 59, 'open {FOLDER}/x on {HOST}', NULL, 1, 0), (9, 10, 59, 'merger/net.py:35', NULL, 1, 0),
    (11, 12, 59, '~/merger/..', NULL, 1, 0), (13, 14, 59, '--data=./merger/x', NULL, 1, 0);
INSERT INTO PROCESSES (globalPid, pid, name) VALUES (98 << 24, 98, './merger/build/app');
CREATE TABLE IF NOT EXISTS DIAGNOSTIC_EVENT (timestamp INTEGER, severity INTEGER, text TEXT);
INSERT INTO DIAGNOSTIC_EVENT (timestamp, severity, text) VALUES
    (3, 2, 'wrote results/merger/run1.nsys-rep and "\\/srv\\/merger\\/x", read /data/the merger files/y'),
    (1, 2, 'see {FOLDER}/pid_1_stdout.log at 10.20.30.40 or ask alicia@example.org'),
    (2, 2, 'https://{HOST}.internal/merger?key=1 is no place for D:\\Users\\{USER}\\merger\\a b\\c.log');
CREATE TABLE A_NEW_TABLE (something TEXT, payload BLOB, loose);
INSERT INTO A_NEW_TABLE VALUES ('from {FOLDER}/x', CAST('{TOKEN}' AS BLOB), 'on {HOST}'), (NULL, NULL, 5);
"""  # noqa: E501


def plant(export: Path) -> Path:
    """Put the private things into a copy of a story; some of it once lay in pages that are free now."""
    db = sqlite3.connect(export)
    db.executescript(SQL)
    db.execute("CREATE TABLE gone (x TEXT)")
    db.executemany("INSERT INTO gone VALUES (?)", [(f"{TOKEN} {n}" * 50,) for n in range(50)])
    db.executescript("DROP TABLE gone")
    db.close()
    return export


def hidden_under_nulls() -> pa.RecordBatch:
    """Three rows, the second NULL, with "sesame" in the memory under the NULLs of every column."""
    whole = {
        "number": pa.array([7, int.from_bytes(b"sesame", "little"), 5]),
        "text": pa.array(["first", "sesame", "third"]),
    }
    valid = pa.py_buffer(bytes([0b101]))
    return pa.record_batch(
        {name: pa.Array.from_buffers(c.type, 3, [valid, *c.buffers()[1:]]) for name, c in whole.items()}
    )
