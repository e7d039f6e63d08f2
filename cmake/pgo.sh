#!/usr/bin/env bash
# Builds build/pgo/toolgate, the program of packages and images: the release preset's, optimised by a profile of what
# a service usually does (profile-guided optimisation, PGO).
#
#   cmake/pgo.sh [NAME=VALUE…]      options for CMake
#
# First it builds a program that counts what it runs, then that program works for half a minute on loopback, then it is
# built again by the counts. The counts stay: later runs only build what changed. Remove the folder to record them anew.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=build/pgo
# The load profiles that the program ships, each at one, at some and at many calls in flight.
load_profiles=(read-mostly agents writes streaming hostile)
seconds=2

fail() { echo "pgo: $*" >&2; exit 1; }

# build STEP [NAME=VALUE…]: with TOOLGATE_PGO=STEP.
build() {
  local step=$1 log=$folder.configure.log
  shift
  mkdir -p build
  cmake --preset pgo "-DTOOLGATE_PGO=$step" "${@/#/-D}" >"$log" 2>&1 || { cat "$log" >&2; fail "cmake failed"; }
  cmake --build --preset pgo --target toolgate
}

work=""
serve_pid=""
cleanup() {
  if [ -n "$serve_pid" ]; then kill "$serve_pid" 2>/dev/null && wait "$serve_pid" 2>/dev/null || true; fi
  if [ -n "$work" ]; then rm -rf "$work"; fi
}
trap cleanup EXIT

# Lets the program serve what the load profiles ask. Service and client count together.
record() {
  local address="" profile in_flight
  work=$(mktemp -d)
  : >"$work/serve.log"  # Before the program opens it, since the loop below reads it at once.
  "$folder/toolgate" serve --config deploy/load/unlimited.yaml --listen 127.0.0.1:0 --metrics-listen off \
    --data-dir "$work/data" --log-format json 2>"$work/serve.log" &
  serve_pid=$!
  for _ in $(seq 300); do
    address=$(sed -nE 's/.*"serving","address":"([^"]+)".*/\1/p' "$work/serve.log")
    if [ -n "$address" ] || ! kill -0 "$serve_pid" 2>/dev/null; then break; fi
    sleep 0.1
  done
  [ -n "$address" ] || { cat "$work/serve.log" >&2; fail "the service did not start"; }
  for profile in "${load_profiles[@]}"; do
    for in_flight in 1 16 64; do
      "$folder/toolgate" load --address "$address" --profile "$profile" --concurrency "$in_flight" \
        --duration "${seconds}s" --warm-up 0s >"$work/load.txt" 2>&1 ||
        { cat "$work/load.txt" >&2; fail "the load profile $profile failed"; }
    done
  done
  # The counts are written at the process's end.
  kill "$serve_pid"
  wait "$serve_pid" || { cat "$work/serve.log" >&2; fail "the service did not stop as it should"; }
  serve_pid=""
  [ -n "$(find "$folder" -name '*.gcda' -print -quit)" ] || fail "the program wrote no counts"
}

if [ ! -e "$folder/recorded" ]; then
  find "$folder" -name '*.gcda' -delete 2>/dev/null || true
  build record "$@"
  record
  touch "$folder/recorded"
fi
build use "$@"
