#!/usr/bin/env bash
# Checks that Bazel has the tests that CTest has in BUILD_FOLDER, and that its sandbox refuses the header of a target that
# is not declared.
#
#   check.sh BUILD_FOLDER
set -euo pipefail
build=$(realpath "$1")
cd "$(dirname "${BASH_SOURCE[0]}")"
fail() { echo "bazel-compat: $*" >&2; exit 1; }

# CTest alone compares the lists.
ctest_names=$(ctest --test-dir "$build" -N | sed -n 's/^ *Test *#[0-9]*: //p' | grep -vx lint_bazel_lists | sort)
bazel_names=$(./bazel.sh query --noshow_progress 'tests(//...)' | sed 's/.*://' | sort)
diff <(echo "$ctest_names") <(echo "$bazel_names") >&2 || fail "the tests of CTest (<) and Bazel (>) differ"
echo "$(wc -l <<<"$bazel_names") tests, the same in CTest and Bazel"

if log=$(./bazel.sh build --noshow_progress //boundaries:undeclared_include 2>&1); then
  fail "an include of a target that is not declared was compiled"
fi
grep -q 'observability/log_escape.h: No such file' <<<"$log" || fail "the build failed for another reason: $log"
echo "the header of a target that is not declared was refused"
