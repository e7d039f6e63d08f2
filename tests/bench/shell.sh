#!/usr/bin/env bash
# Measures shell commands: the time that Bash adds to a command's own, how soon a command is gone after its limit, and
# how far sleeping commands slow a local read.
#
#   tests/bench/shell.sh [--calls N] [--sleepers N] [--rounds N] [--seconds N]
#
# The bars: 30 ms more than the command by itself (`true`), 250 ms after the limit, and a read (get_block, 16 in flight)
# beside 200 sleeping commands at no less than 0.9 of its rate alone. Needs a machine that has a sandbox.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=build/release
calls=100 sleepers=200 rounds=5 seconds=2
while [ $# -gt 0 ]; do
  case $1 in
    --calls) calls=$2; shift 2 ;;
    --sleepers) sleepers=$2; shift 2 ;;
    --rounds) rounds=$2; shift 2 ;;
    --seconds) seconds=$2; shift 2 ;;
    *) echo "shell: unknown argument \"$1\"; see the head of tests/bench/shell.sh" >&2; exit 2 ;;
  esac
done

work=$(mktemp -d)
serve_pid=""
cleanup() {
  if [ -n "$serve_pid" ]; then kill "$serve_pid" 2>/dev/null && wait "$serve_pid" 2>/dev/null || true; fi
  rm -rf "$work"
}
trap cleanup EXIT
mkdir "$work/files"
# Nobody is there to approve commands; limits and deadlines are out of the way.
cat >"$work/bench.yaml" <<YAML
files: {root: $work/files}
shell: {max_running: 1024}
execution_tracking: {tool_timeout: 10m, max_execution_time_per_request: 10m}
identity:
  roles:
    developer: {permissions: ["*"], auto_approve: [Bash]}
YAML
$build/toolgate serve --config "$work/bench.yaml" --listen 127.0.0.1:0 --metrics-listen off --data-dir "$work/data" \
  2>"$work/serve.log" &
serve_pid=$!
for _ in $(seq 100); do
  grep -q '"serving"' "$work/serve.log" && break
  sleep 0.05
done
address=$(sed -nE 's/.*"serving","address":"([^"]+)".*/\1/p' "$work/serve.log")
[ -n "$address" ] || { cat "$work/serve.log" >&2; exit 1; }

number() { sed -E "s/.*\"$1\":([0-9.]+).*/\1/"; }
median() { sort -g | awk '{v[NR]=$1} END {print (v[int((NR+1)/2)] + v[int(NR/2)+1]) / 2}'; }
load() { "$build/load_client" "$address" "$@"; }
# The median time of a call in milliseconds.
per_call() { load 1 "$seconds" Bash "$1" | number p50_us | awk '{print $1 / 1000}'; }
sleeping() { pgrep -fc '^sleep 86399$' || true; }

load 1 1 Bash '{"command":"true"}' >/dev/null
own=$(for _ in $(seq "$calls"); do
  begun=$(date +%s%N)
  bash --noprofile --norc -c true
  echo $((($(date +%s%N) - begun) / 1000))
done | median | awk '{print $1 / 1000}')
awk -v own="$own" -v all="$(per_call '{"command":"true"}')" -v kept="$(per_call '{"command":"echo % > file"}')" \
  'BEGIN {printf "true: %.1f ms by itself, %.1f ms by Bash, %.1f ms more; one that changes a file: %.1f ms\n",
          own, all, all - own, kept}'
awk -v all="$(per_call '{"command":"sleep 60","timeoutMs":200}')" \
  'BEGIN {printf "a limit of 200 ms: answered after %.1f ms, %.1f ms late\n", all, all - 200}'

block=$($build/toolgate call create_block '{"type":"page","data":{"title":"A page to read"}}' --address "$address" \
  --workspace bench --user bench --json | sed -E 's/.*"blockId":"([^"]+)".*/\1/')
read_blocks() { load 16 "$seconds" get_block "{\"blockId\":\"$block\",\"includeChildren\":false}" | number rate; }
read_blocks >/dev/null
for _ in $(seq "$rounds"); do
  read_blocks >>"$work/alone"
  # Not by the function: it would be a shell that is killed below, and not the client.
  "$build/load_client" "$address" "$sleepers" 0 Bash '{"command":"sleep 86399","timeoutMs":600000}' >"$work/client" &
  client=$!
  while [ "$(sleeping)" -lt "$sleepers" ]; do sleep 0.1; done
  sleep 2
  read_blocks >>"$work/beside"
  # Without a client the commands are killed.
  kill "$client" && wait "$client" 2>/dev/null || true
  while [ "$(sleeping)" -gt 0 ]; do sleep 0.1; done
done
awk -v n="$sleepers" -v alone="$(median <"$work/alone")" -v beside="$(median <"$work/beside")" \
  'BEGIN {printf "%d sleeping commands: get_block %.0f/s alone, %.0f/s beside them, ratio %.3f\n",
          n, alone, beside, beside / alone}'
