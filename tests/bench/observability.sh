#!/usr/bin/env bash
# Measures the cost of metrics, logs and traces: throughput of a read (get_block, 16 in flight) with all of them on and
# with all of them off, in turn, and prints the medians and their ratio.
#
#   tests/bench/observability.sh [--seconds N] [--rounds N]
#
# On: metrics scraped each second, log level info into a file. If OTEL_EXPORTER_OTLP_ENDPOINT names a collector, the
# service that is on exports spans there, 10 % of the traces unless OTEL_TRACES_SAMPLER says otherwise.
# Off: no metrics listener, log level error, no exporter. Calls are still counted, timed and audited: there is no switch
# for that, and the benchmark of the parts (observability_benchmark) has its cost.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${BUILD:-build/release}
seconds=3
rounds=5
while [ $# -gt 0 ]; do
  case $1 in
    --seconds) seconds=$2; shift 2 ;;
    --rounds) rounds=$2; shift 2 ;;
    *) echo "observability: unknown argument \"$1\"; see the head of tests/bench/observability.sh" >&2; exit 2 ;;
  esac
done

work=$(mktemp -d)
pids=()
cleanup() {
  # The latest first: whatever scrapes a service ends before it.
  for ((i = ${#pids[@]} - 1; i >= 0; --i)); do
    kill "${pids[i]}" 2>/dev/null && wait "${pids[i]}" 2>/dev/null || true
  done
  rm -rf "$work"
}
trap cleanup EXIT

endpoint=${OTEL_EXPORTER_OTLP_ENDPOINT:-}
unset OTEL_EXPORTER_OTLP_ENDPOINT
off_address=unix:$work/off.sock
$build/toolgate serve --listen "$off_address" --data-dir "$work/off" --metrics-listen off --log-level error \
  2>"$work/off.log" &
pids+=($!)
if [ -n "$endpoint" ]; then
  export OTEL_EXPORTER_OTLP_ENDPOINT=$endpoint
  export OTEL_TRACES_SAMPLER=${OTEL_TRACES_SAMPLER:-parentbased_traceidratio}
  export OTEL_TRACES_SAMPLER_ARG=${OTEL_TRACES_SAMPLER_ARG:-0.1}
fi
on_address=unix:$work/on.sock
$build/toolgate serve --listen "$on_address" --data-dir "$work/on" --metrics-listen 127.0.0.1:0 --log-level info \
  --log-format json 2>"$work/on.log" &
pids+=($!)
for _ in $(seq 200); do
  # At level error there is no line "serving".
  [ -S "$work/off.sock" ] && grep -q '"serving"' "$work/on.log" && break
  sleep 0.05
done
metrics=$(sed -nE 's/.*"serving".*"metrics":"([^"]+)".*/\1/p' "$work/on.log")
[ -n "$metrics" ] || { cat "$work/on.log" >&2; exit 1; }

# Scrapes each second, without a client that would need a process for each.
scrape() {
  local host=${metrics%:*} port=${metrics##*:}
  while true; do
    exec 9<>"/dev/tcp/$host/$port"
    printf 'GET /metrics HTTP/1.0\r\n\r\n' >&9
    cat <&9 >"$work/scraped"
    exec 9>&-
    sleep 1
  done
}
scrape &
pids+=($!)

# block ADDRESS: the id of a new block.
block() {
  $build/toolgate call create_block '{"type":"page","data":{"title":"A page to read"}}' --address "$1" \
    --workspace bench --user bench --json | sed -E 's/.*"blockId":"([^"]+)".*/\1/'
}
rate() { sed -E 's/.*"rate":([0-9.]+).*/\1/'; }
median() { sort -g | awk '{v[NR]=$1} END {print (v[int((NR+1)/2)] + v[int(NR/2)+1]) / 2}'; }
# measure ADDRESS BLOCK SECONDS: calls a second.
measure() {
  $build/load_client "$1" 16 "$3" get_block "{\"blockId\":\"$2\",\"includeChildren\":false}" --expect ok | rate
}

on_block=$(block "$on_address")
off_block=$(block "$off_address")
measure "$on_address" "$on_block" 1 >/dev/null
measure "$off_address" "$off_block" 1 >/dev/null
for round in $(seq "$rounds"); do
  # Whichever comes second finds a warmer machine, so they take turns.
  if [ $((round % 2)) = 0 ]; then
    measure "$on_address" "$on_block" "$seconds" >>"$work/on.rates"
    measure "$off_address" "$off_block" "$seconds" >>"$work/off.rates"
  else
    measure "$off_address" "$off_block" "$seconds" >>"$work/off.rates"
    measure "$on_address" "$on_block" "$seconds" >>"$work/on.rates"
  fi
done

awk -v on="$(median <"$work/on.rates")" -v off="$(median <"$work/off.rates")" -v traces="${endpoint:-none}" \
  -v bytes="$(wc -c <"$work/scraped")" -v series="$(grep -vc '^#' "$work/scraped" || true)" 'BEGIN {
    printf "get_block, 16 in flight: on %.0f/s, off %.0f/s, ratio %.3f\n", on, off, on / off
    printf "one scrape: %d series, %.0f KB; spans go to: %s\n", series, bytes / 1024, traces}'
