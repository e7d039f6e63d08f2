#!/usr/bin/env bash
# Measures how far generations that wait for a slow model slow a local read.
#
#   tests/bench/generations.sh [--waiting N] [--rounds N] [--seconds N] [--check]
#
# The model is a server on loopback that takes requests and never answers. The bar: a read (get_block, 16 in flight)
# beside 200 waiting generations at no less than 0.9 of its rate alone. With --check the exit code is 1 when it is
# missed. Needs Node.js.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=build/release
waiting=200 rounds=5 seconds=2 check=no
while [ $# -gt 0 ]; do
  case $1 in
    --waiting) waiting=$2; shift 2 ;;
    --rounds) rounds=$2; shift 2 ;;
    --seconds) seconds=$2; shift 2 ;;
    --check) check=yes; shift ;;
    *) echo "generations: unknown argument \"$1\"; see the head of tests/bench/generations.sh" >&2; exit 2 ;;
  esac
done

work=$(mktemp -d)
serve_pid="" model_pid="" client=""
cleanup() {
  for pid in $client $serve_pid $model_pid; do kill "$pid" 2>/dev/null && wait "$pid" 2>/dev/null || true; done
  rm -rf "$work"
}
trap cleanup EXIT

# Prints its port, then, whenever a line is read, the number of requests that wait.
mkfifo "$work/ask"
node -e '
  let waiting = 0;
  const server = require("http").createServer((request, response) => {
    ++waiting;
    request.resume();
    response.on("close", () => --waiting);
  });
  server.requestTimeout = 0;
  server.listen(0, "127.0.0.1", () => console.log(server.address().port));
  process.stdin.on("data", () => console.log(waiting));
' <"$work/ask" >"$work/model" &
model_pid=$!
exec 9>"$work/ask"
until [ -s "$work/model" ]; do sleep 0.05; done
waiting_now() {
  echo >&9
  sleep 0.1
  tail -n 1 "$work/model"
}

# Limits and deadlines are out of the way.
cat >"$work/bench.yaml" <<YAML
server: {max_streams_per_connection: 10000}  # load_client uses one.
artifacts: {provider: {base_url: "http://127.0.0.1:$(head -n 1 "$work/model")", keyless: true, timeout: 10m}}
execution_tracking: {tool_timeout: 10m, max_execution_time_per_request: 10m}
rate_limiting:
  tools:
    generate_artifact:
      windows: [{audience: any, max_calls: 1000000, window: 1s}]
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
block=$($build/toolgate call create_block '{"type":"page","data":{"title":"A page to read"}}' --address "$address" \
  --workspace bench --user bench --json | sed -E 's/.*"blockId":"([^"]+)".*/\1/')
read_blocks() {
  "$build/load_client" "$address" 16 "$seconds" get_block "{\"blockId\":\"$block\",\"includeChildren\":false}" |
    number rate
}
resident() { awk '/^VmRSS/ {print $2}' "/proc/$serve_pid/status"; }

read_blocks >/dev/null
idle_kib=$(resident)
for _ in $(seq "$rounds"); do
  read_blocks >>"$work/alone"
  "$build/load_client" "$address" "$waiting" 0 generate_artifact '{"type":"html","prompt":"A page about bridges."}' \
    >"$work/client" &
  client=$!
  for _ in $(seq 100); do
    [ "$(waiting_now)" -ge "$waiting" ] && break
  done
  [ "$(waiting_now)" -ge "$waiting" ] || { echo "generations: only $(waiting_now) reached the model" >&2; exit 1; }
  read_blocks >>"$work/beside"
  full_kib=$(resident)
  # Without a client the generations end.
  kill "$client" && wait "$client" 2>/dev/null || true
  client=""
  for _ in $(seq 100); do
    [ "$(waiting_now)" -eq 0 ] && break
  done
done
awk -v n="$waiting" -v alone="$(median <"$work/alone")" -v beside="$(median <"$work/beside")" \
  -v kib="$(((full_kib - idle_kib) / waiting))" -v check="$check" \
  'BEGIN {printf "%d waiting generations: get_block %.0f/s alone, %.0f/s beside them, ratio %.3f; %d KiB each\n",
          n, alone, beside, beside / alone, kib
          exit check == "yes" && beside / alone < 0.9}'
