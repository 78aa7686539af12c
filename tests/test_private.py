"""The list of private places."""

import pytest

from nsysql.privacy.rules import (
    COMMAND,
    ENVIRONMENT,
    FOLDER,
    FUNCTIONS,
    HOST,
    LABELS,
    OUTPUT,
    PATH,
    USER,
    kind_of,
    reference,
)


@pytest.mark.parametrize(
    ("table", "name", "kind"),
    [
        ("META_DATA_CAPTURE", "PROCESS_0:ENVIRONMENT_VARIABLE", ENVIRONMENT),
        ("META_DATA_CAPTURE", "PROCESS_12:ARGUMENT_3", COMMAND),
        ("META_DATA_CAPTURE", "PROCESS_0:COMMAND", COMMAND),
        ("META_DATA_CAPTURE", "PROCESS_0:WORKING_DIR", FOLDER),
        ("META_DATA_CAPTURE", "PROCESS_0:USER_NAME", USER),
        ("META_DATA_CAPTURE", "DEVICE_DISPLAY_NAME", HOST),
        ("META_DATA_CAPTURE", "CUDA_GRAPH_TRACE_OPTIONS:MODE", None),
        ("META_DATA_EXPORT", "EXPORT_PARAM_OUTUPT_PATH_ABS", PATH),
        ("META_DATA_EXPORT", "EXPORT_PRODUCT_VERSION", None),
        ("EXPORT_META_DATA", "EXPORT_USER", USER),
        ("EXPORT_META_DATA", "EXPORT_HOST", HOST),
        ("TARGET_INFO_SYSTEM_ENV", "Hostname", HOST),
        ("TARGET_INFO_SYSTEM_ENV", "DeviceEnvironment", ENVIRONMENT),
        ("TARGET_INFO_SYSTEM_ENV", "TargetInstallDir", FOLDER),
        ("TARGET_INFO_SYSTEM_ENV", "CpuDescription", None),
        ("StringIds", None, None),
    ],
)
def test_places_of_names_and_values(table: str, name: str | None, kind: str | None) -> None:
    assert kind_of(table, "value", name) == kind


def test_a_text_is_what_it_is_referred_to_as() -> None:
    assert reference("CUPTI_ACTIVITY_KIND_KERNEL", "shortName", "") == FUNCTIONS
    assert reference("ThreadNames", "nameId", "") == LABELS
    assert reference("ProcessStreams", "contentId", "") == OUTPUT
    assert (
        reference("NEW_EVENTS", "x", "CREATE TABLE NEW_EVENTS (\n    x  INTEGER, -- REFERENCES StringIds(id)\n)")
        == LABELS
    )
    assert (
        reference("NEW_EVENTS", "y", "CREATE TABLE NEW_EVENTS (\n    x  INTEGER, -- REFERENCES StringIds(id)\n)")
        is None
    )
