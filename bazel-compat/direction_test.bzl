"""Checks the rules of direction.bzl whenever a build loads this folder."""

load(":direction.bzl", "direction_problem")

_REFUSED = [
    ("common", "observability"),
    ("common/yaml", "storage"),
    ("observability", "storage"),
    ("storage/sqlite", "executors"),
    ("executors/notes", "security"),
    ("executors/notes", "interchange"),
    ("interchange/markdown", "executors"),
    ("interchange/markdown", "executors/notes"),
    ("security/rate_limit", "services/core"),
    ("security/rate_limit", "executors/notes"),
    ("security", "interchange"),
    ("services/api", "cli"),
    ("common", "tests/support"),
    ("services/app", "training/injection_defence"),
]

_ALLOWED = [
    ("common", "proto"),
    ("common", "common/text"),
    ("storage", "common"),
    ("executors/notes", "executors/blocks"),
    ("interchange/icalendar", "executors/blocks"),
    ("security/rate_limit", "executors"),
    ("services/app", "executors/registration"),
    ("cli", "interchange/jsonl"),
    ("cli", "."),
    ("tests/unit/common", "services/core"),
]

def check_direction_rules():
    """Fails the build if a rule answers wrongly."""
    for folder, dependency in _REFUSED:
        if direction_problem(folder, dependency) == None:
            fail("direction.bzl lets {} depend on {}".format(folder, dependency))
    for folder, dependency in _ALLOWED:
        problem = direction_problem(folder, dependency)
        if problem != None:
            fail("direction.bzl refuses {} to depend on {}: {}".format(folder, dependency, problem))
