#!/usr/bin/env bash
# Measures the cost of metrics, traces and logs: throughput with all of them on beside throughput with all of them off,
# in turn on the same machine, 16 calls in flight, and prints ratios.
#
#   tests/bench/observability.sh [--seconds N] [--rounds N] [--check]
#
# The calls are reads (get_block), of which one in 20 is refused by layer 2, so that the log has something to tell.
#
# off:   no metrics listener, log level error, no traces. Calls are counted nevertheless, for which there is no switch.
# on:    metrics scraped each second, the log as by default, in a file, traces sampled at 10 % and sent to a collector.
#        Both are received by a process that this script starts.
# debug: as on, with a line for every call. For information.
#
# The cost of counting comes from observability_benchmark and is taken off the ratio as if one processor did it all, which
# is more than it takes. The processor time of the receivers, which no service has beside it, is given back. The bar is
# 0.95 of the throughput with everything off; with --check the exit status is 1 below.
# Needs Node.js.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${BUILD:-build/release}
bar=0.95
seconds=3
rounds=7
check=no
while [ $# -gt 0 ]; do
  case $1 in
    --seconds) seconds=$2; shift 2 ;;
    --rounds) rounds=$2; shift 2 ;;
    --check) check=yes; shift ;;
    *) echo "observability: unknown argument \"$1\"; see the head of tests/bench/observability.sh" >&2; exit 2 ;;
  esac
done
fail() { echo "observability: $*" >&2; exit 1; }

work=$(mktemp -d)
pids=()
cleanup() {
  # The latest first: what asks a service ends before it.
  for ((i = ${#pids[@]} - 1; i >= 0; --i)); do
    kill "${pids[i]}" 2>/dev/null && wait "${pids[i]}" 2>/dev/null || true
  done
  rm -rf "$work"
}
trap cleanup EXIT

mkfifo "$work/receivers.in"
node tests/bench/receivers.mjs <"$work/receivers.in" >"$work/receivers" &
receivers=$!
pids+=($receivers)
exec 8>"$work/receivers.in"
for _ in $(seq 200); do
  [ -s "$work/receivers" ] && break
  sleep 0.05
done
[ -s "$work/receivers" ] || fail "the collector of traces does not start"

# Only what stands here says what the services do.
for name in $(compgen -e OTEL_ || true); do unset "$name"; done
kinds="off on debug"
# serve KIND FLAG…
serve() {
  local kind=$1
  shift
  "$build/toolgate" serve --listen "unix:$work/$kind.sock" --data-dir "$work/$kind" --log-format json "$@" \
    2>"$work/$kind.log" 8>&- &
  pids+=($!)
}
serve off --metrics-listen off --log-level error
OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:$(cat "$work/receivers")
export OTEL_EXPORTER_OTLP_ENDPOINT OTEL_TRACES_SAMPLER=parentbased_traceidratio OTEL_TRACES_SAMPLER_ARG=0.1
serve on --metrics-listen 127.0.0.1:0
serve debug --metrics-listen 127.0.0.1:0 --log-level debug
for _ in $(seq 200); do
  # At level error there is no line "serving".
  [ -S "$work/off.sock" ] && grep -q '"serving"' "$work/on.log" && grep -q '"serving"' "$work/debug.log" && break
  sleep 0.05
done
metrics_of() { sed -nE 's/.*"serving".*"metrics":"([^"]+)".*/\1/p' "$work/$1.log"; }
for kind in on debug; do
  [ -n "$(metrics_of "$kind")" ] || { cat "$work/$kind.log" >&2; fail "a service does not start"; }
done

# scrape KIND, into a file.
scrape() {
  local address
  address=$(metrics_of "$1")
  exec 9<>"/dev/tcp/${address%:*}/${address##*:}"
  printf 'GET /metrics HTTP/1.0\r\n\r\n' >&9
  cat <&9 >"$work/$1.scraped"
  exec 9>&-
}

# block KIND: the id of a new block.
block() {
  "$build/toolgate" call create_block '{"type":"page","data":{"title":"A page to read"}}' --address "unix:$work/$1.sock" \
    --workspace bench --user bench --json | sed -E 's/.*"blockId":"([^"]+)".*/\1/'
}
# measure KIND SECONDS: calls a second.
measure() {
  if [ "$1" != off ]; then metrics_of "$1" >&8; fi
  "$build/load_client" "unix:$work/$1.sock" 16 "$2" get_block \
    "{\"blockId\":\"$(cat "$work/$1.block")\",\"includeChildren\":false}" \
    --refused 20 "{\"blockID\":\"$(cat "$work/$1.block")\"}" | sed -E 's/.*"rate":([0-9.]+).*/\1/'
  echo >&8
}
# Processor time of the receivers so far, in seconds.
receivers_seconds() {
  awk -v ticks="$(getconf CLK_TCK)" '{sub(/.*\) /, ""); print ($12 + $13) / ticks}' "/proc/$receivers/stat"
}
# The 95 % confidence interval of the median of the numbers on standard input, by their ranks.
interval() {
  sort -g | awk '{v[NR] = $1} END {
    half = 0.98 * sqrt(NR)
    low = int(NR / 2 - half)
    high = int(NR / 2 + half) + 2
    if (low < 1) low = 1
    if (high > NR) high = NR
    print v[low], v[high]}'
}
median() { sort -g | awk '{v[NR]=$1} END {print (v[int((NR+1)/2)] + v[int(NR/2)+1]) / 2}'; }
# ratio KIND: of each round, to off in the same round.
ratio() { paste "$work/$1.rates" "$work/off.rates" | awk '{print $1 / $2}'; }
# metric KIND NAME: the sum over its labels.
metric() { awk -v name="$2" '$1 == name || index($1, name "{") == 1 {sum += $2} END {printf "%d", sum}' "$work/$1.scraped"; }
lines() { wc -l <"$work/$1.log"; }

for kind in $kinds; do
  block "$kind" >"$work/$kind.block"
  lines "$kind" >"$work/$kind.lines"
  measure "$kind" 1 >/dev/null
done
order=$kinds
for _ in $(seq "$rounds"); do
  for kind in $order; do
    before=$(receivers_seconds)
    measure "$kind" "$seconds" >>"$work/$kind.rates"
    echo "$before $(receivers_seconds)" >>"$work/$kind.receivers"
  done
  # A service that comes later finds a warmer machine, so they take turns.
  order="${order#* } ${order%% *}"
done
# Spans still on their way to the collector leave within five seconds.
sleep 6
for kind in on debug; do scrape "$kind"; done

counting=$("$build/observability_benchmark" --benchmark_filter='^BM_ObserveCall/real_time/threads:1$' \
  --benchmark_min_time=0.2 --benchmark_format=csv 2>/dev/null | awk -F, '/^"BM_ObserveCall/ {print $4}')
[ -n "$counting" ] || fail "observability_benchmark has no figure of what counting a call costs"

printf 'get_block, one in 20 refused, 16 in flight, %d rounds of %s s\n' "$rounds" "$seconds"
printf '%-6s %10s %8s %17s %10s %10s\n' "" "calls/s" "ratio" "95 % interval" "log lines" "spans"
for kind in $kinds; do
  if [ "$kind" = off ]; then
    printf '%-6s %10.0f\n' off "$(median <"$work/off.rates")"
    continue
  fi
  printf '%-6s %10.0f %8.3f %17s %10d %10d\n' "$kind" "$(median <"$work/$kind.rates")" "$(ratio "$kind" | median)" \
    "$(ratio "$kind" | interval | awk '{printf "%.3f, %.3f", $1, $2}')" \
    "$(($(lines "$kind") - $(cat "$work/$kind.lines")))" \
    "$(metric "$kind" toolgate_spans_exported_total)"
done
# The receivers would not stand on the service's machine. Client, service and receivers keep all processors busy, so the
# share of the receivers is what the other two would have had.
share=$(awk -v all="$(echo "$rounds $seconds $(nproc)" | awk '{print $1 * $2 * $3}')" \
  '{sum += $2 - $1} END {printf "%.4f", sum / all}' "$work/on.receivers")
total=$(awk -v ratio="$(ratio on | median)" -v off="$(median <"$work/off.rates")" -v ns="$counting" -v share="$share" \
  'BEGIN {printf "%.3f", ratio / (1 - share) * (1 - ns * off / 1e9)}')
awk -v ns="$counting" -v total="$total" -v bar=$bar -v bytes="$(wc -c <"$work/on.scraped")" \
  -v share="$share" -v series="$(grep -vc '^#' "$work/on.scraped" || true)" -v lost="$(metric on toolgate_spans_dropped_total)" 'BEGIN {
    printf "one scrape: %d series, %.0f KB; spans lost: %d; counting a call: %.0f ns\n", series, bytes / 1024, lost, ns
    printf "the receivers took %.1f %% of all processor time\n", 100 * share
    printf "with everything on, counting included, the receivers elsewhere: %.3f of the throughput with everything off; ", total
    printf "the bar is %.2f\n", bar}'

# A service that writes no line or sends no span is not one with everything on.
[ "$(lines on)" -gt "$(cat "$work/on.lines")" ] || fail "no line was logged"
[ "$(metric on toolgate_spans_exported_total)" -gt 0 ] || fail "no span was exported"
[ "$(metric on toolgate_spans_dropped_total)" -eq 0 ] || fail "spans were lost, which costs less than to send them"
if [ "$check" = yes ] && awk -v total="$total" -v bar=$bar 'BEGIN {exit total >= bar}'; then
  fail "the ratio $total is below $bar"
fi
