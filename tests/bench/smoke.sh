#!/usr/bin/env bash
# Runs each Google Benchmark binary of the release build for a moment, so that one that no longer works is noticed. The
# exit code is 1 if any fails; times are not printed.
set -euo pipefail
cd "$(dirname "$0")/../.."
failed=0 count=0
for binary in build/release/*_benchmark; do
  [ -x "$binary" ] || { echo "smoke: there are no benchmarks in build/release; \`./dev build\` builds them" >&2; exit 2; }
  count=$((count + 1))
  # A benchmark that gives up says so, and its binary still exits with 0.
  if ! out=$(timeout 120 "$binary" --benchmark_min_time=0.001 2>&1) || [[ $out == *"ERROR OCCURRED"* ]]; then
    printf '%s\n' "$out" | tail -20 >&2
    echo "smoke: $binary failed" >&2
    failed=1
  fi
done
[ "$failed" = 0 ] && echo "$count benchmarks run"
exit "$failed"
