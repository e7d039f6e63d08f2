#!/usr/bin/env bash
# Measures toolgate beside a bare gRPC echo of the same server model, in turn on the same machine, and prints ratios.
#
#   tests/bench/run.sh [--seconds N] [--rounds N] [--parts] [--overload] [--check] [--program FILE]
#
# The program is build/pgo/toolgate, that of packages and images (`./dev pgo`), unless --program names another.
#
# Closed loop at 1, 16 and 64 calls in flight: a read (get_block, all layers and audit on), a durable mutation
# (create_block) and a refused call. The mutation at 64 in flight is also set against a bare SQLite loop that writes the
# same rows in batches of 64. With --parts the Google Benchmark binaries of the layers run too. With --overload three
# clients keep 2,700 mutations in flight, forty times what the best throughput needs: how many still succeed, and what
# it costs in memory. waiting.sh, generations.sh and observability.sh, what metrics, traces and logs cost, run at the end.
# With --check the exit code is 1 when a bar is missed: theirs, or get_block at 16 and 64 in flight at no less than 0.6 of
# the echo's rate.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=build/release
seconds=3
rounds=3
parts=no
overload=no
check=no
program=build/pgo/toolgate
while [ $# -gt 0 ]; do
  case $1 in
    --seconds) seconds=$2; shift 2 ;;
    --rounds) rounds=$2; shift 2 ;;
    --parts) parts=yes; shift ;;
    --overload) overload=yes; shift ;;
    --check) check=yes; shift ;;
    --program) program=$2; shift 2 ;;
    *) echo "bench: unknown argument \"$1\"; see the head of tests/bench/run.sh" >&2; exit 2 ;;
  esac
done
[ -x "$program" ] || { echo "bench: there is no program $program; \`./dev pgo\` builds it" >&2; exit 2; }
echo "measured: $program"

work=$(mktemp -d)
echo_pid="" serve_pid=""
cleanup() {
  if [ -n "$serve_pid" ]; then kill "$serve_pid" 2>/dev/null && wait "$serve_pid" 2>/dev/null || true; fi
  if [ -n "$echo_pid" ]; then exec 8>&- || true; wait "$echo_pid" 2>/dev/null || true; fi
  rm -rf "$work"
}
trap cleanup EXIT

mkfifo "$work/echo.in"
$build/echo_server callback <"$work/echo.in" >"$work/echo.out" &
echo_pid=$!
exec 8>"$work/echo.in"
# The bench's own limits are out of the way; everything else is as by default.
cat >"$work/bench.yaml" <<'YAML'
rate_limiting:
  tools:
    create_block:
      windows: [{audience: any, max_calls: 1000000, window: 1s}]
YAML
"$program" serve --config "$work/bench.yaml" --listen 127.0.0.1:0 --metrics-listen off --data-dir "$work/data" \
  2>"$work/serve.log" &
serve_pid=$!
for _ in $(seq 100); do
  grep -q '^port' "$work/echo.out" 2>/dev/null && grep -q '"serving"' "$work/serve.log" && break
  sleep 0.05
done
echo_address=127.0.0.1:$(awk '{print $2}' "$work/echo.out")
address=$(sed -nE 's/.*"serving","address":"([^"]+)".*/\1/p' "$work/serve.log")
[ -n "$address" ] || { cat "$work/serve.log" >&2; exit 1; }

block=$("$program" call create_block \
  '{"type":"page","data":{"title":"A page to read"}}' --address "$address" --workspace bench --user bench --json |
  sed -E 's/.*"blockId":"([^"]+)".*/\1/')

missed=0
miss() { echo "bench: missed: $1" >&2; missed=1; }
number() { sed -E "s/.*\"$1\":([0-9.]+).*/\1/"; }
# Of an even count, the mean of the two in the middle.
median() { sort -g | awk '{v[NR]=$1} END {print (v[int((NR+1)/2)] + v[int(NR/2)+1]) / 2}'; }

# One round of the bare SQLite loop in batches of 64: once with an audit row for each mutation, once with the store's own
# packed segments.
bare_loops() {
  local kind
  for kind in rows packed; do
    $build/storage_benchmark --benchmark_filter="BareLoop/$kind/64" --benchmark_format=csv 2>/dev/null |
      awk -F, -v kind="$kind" 'index($1, "BareLoop/" kind "/64") {print $7}' >>"$work/loop.$kind"
  done
}

# run NAME TOOL ARGUMENTS EXPECT IN_FLIGHT: rounds of echo and toolgate in turn, and of the bare loop where it is the
# yardstick.
run() {
  local name=$1 tool=$2 arguments=$3 expect=$4 in_flight=$5 round out e t
  : >"$work/echo.rates"; : >"$work/rates"; : >"$work/p50"; : >"$work/p99"
  for round in $(seq "$rounds"); do
    out=$($build/load_client "$echo_address" "$in_flight" "$seconds" "$tool" "$arguments")
    echo "$out" | number rate >>"$work/echo.rates"
    out=$($build/load_client "$address" "$in_flight" "$seconds" "$tool" "$arguments" --expect "$expect")
    echo "$out" | number rate >>"$work/rates"
    echo "$out" | number p50_us >>"$work/p50"
    echo "$out" | number p99_us >>"$work/p99"
    if [ "$name/$in_flight" = "durable create_block/64" ]; then bare_loops; fi
  done
  e=$(median <"$work/echo.rates"); t=$(median <"$work/rates")
  awk -v n="$name" -v f="$in_flight" -v e="$e" -v t="$t" -v p50="$(median <"$work/p50")" -v p99="$(median <"$work/p99")" \
    'BEGIN {printf "%-28s %9d %12.0f %12.0f %8.2f %9.0f %9.0f\n", n, f, e, t, t / e, p50, p99}'
  [ "$name" = "durable create_block" ] && echo "$t" >"$work/mutation.$in_flight" || true
  if [ "$check/$name" = yes/get_block ] && [ "$in_flight" -ge 16 ]; then
    awk -v e="$e" -v t="$t" 'BEGIN {exit t / e < 0.6}' || miss "get_block at $in_flight in flight, 0.6 of the echo"
  fi
}

printf '%-28s %9s %12s %12s %8s %9s %9s\n' "" "in flight" "echo/s" "toolgate/s" "ratio" "p50 us" "p99 us"
for in_flight in 1 16 64; do
  run "get_block" get_block "{\"blockId\":\"$block\",\"includeChildren\":false}" ok "$in_flight"
done
for in_flight in 1 16 64; do
  run "durable create_block" create_block '{"type":"todo","data":{"content":"Load %","priority":"high"}}' ok "$in_flight"
done
for in_flight in 1 16 64; do
  run "refused (unknown property)" get_block "{\"blockID\":\"$block\"}" refused "$in_flight"
done

echo
for kind in rows packed; do
  awk -v t="$(cat "$work/mutation.64")" -v loop="$(median <"$work/loop.$kind")" -v kind="$kind" 'BEGIN {
    printf "durable create_block at 64 in flight: %.0f/s, bare SQLite loop (%s) in batches of 64: %.0f/s, ratio %.2f\n",
      t, kind, loop, t / loop}'
done
awk '/VmRSS/ {printf "resident memory after the load: %.1f MB\n", $2 / 1024}' "/proc/$serve_pid/status"

if [ "$overload" = yes ]; then
  clients=()
  for client in 1 2 3; do
    $build/load_client "$address" 900 $((seconds * 2)) create_block '{"type":"todo","data":{"content":"Load %"}}' \
      >"$work/overload.$client" 2>/dev/null &
    clients+=($!)
  done
  for client in "${clients[@]}"; do wait "$client" || true; done
  calls=0 errors=0
  for client in 1 2 3; do
    calls=$((calls + $(number calls <"$work/overload.$client")))
    errors=$((errors + $(number errors <"$work/overload.$client")))
  done
  awk -v c="$calls" -v e="$errors" -v s=$((seconds * 2)) -v peak="$(cat "$work/mutation.64")" \
    'BEGIN {g = (c - e) / s; printf "2,700 mutations in flight: %.0f/s succeed (%.2f of those at 64), %.0f/s refused as OVERLOADED\n", g, g / peak, e / s}'
  awk '/VmHWM/ {printf "resident memory at its highest: %.1f MB\n", $2 / 1024}' "/proc/$serve_pid/status"
fi

if [ "$parts" = yes ]; then
  for binary in "$build"/*_benchmark; do
    echo; echo "== $(basename "$binary")"
    "$binary" --benchmark_min_time=0.2 2>/dev/null
  done
fi

# Servers of their own, beside no others.
cleanup
trap - EXIT
flags=()
if [ "$check" = yes ]; then flags=(--check); fi
echo
for part in waiting generations observability; do
  "tests/bench/$part.sh" "${flags[@]}" || miss "$part.sh"
done
exit "$missed"
