#!/usr/bin/env bash
# Measures what calls cost that wait for something outside: the memory of each, and how far they slow a local read.
#
#   tests/bench/waiting.sh [--calls N] [--rounds N] [--seconds N] [--tool outside_act|outside_look] [--check]
#
# A read (get_block, 16 in flight) is measured alone and beside the waiting calls, in turn. The bars: 64 KiB a call, and a
# read at no less than 0.9 of its rate alone; with --check the exit code is 1 when one is missed.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=build/release
calls=2000 rounds=5 seconds=2 tool=outside_act check=no
while [ $# -gt 0 ]; do
  case $1 in
    --calls) calls=$2; shift 2 ;;
    --rounds) rounds=$2; shift 2 ;;
    --seconds) seconds=$2; shift 2 ;;
    --tool) tool=$2; shift 2 ;;
    --check) check=yes; shift ;;
    *) echo "waiting: unknown argument \"$1\"; see the head of tests/bench/waiting.sh" >&2; exit 2 ;;
  esac
done

work=$(mktemp -d)
coproc SERVER { exec "$build/waiting_server" "$work/data"; }
server=$SERVER_PID
trap 'kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
read -r _ address <&"${SERVER[0]}"
ask() { echo "$1" >&"${SERVER[1]}"; }
waiting() { ask count; read -r count <&"${SERVER[0]}"; echo "$count"; }
resident() { awk '/^VmRSS/ {print $2}' "/proc/$server/status"; }
number() { sed -E "s/.*\"$1\":([0-9.]+).*/\1/"; }
median() { sort -g | awk '{v[NR]=$1} END {print (v[int((NR+1)/2)] + v[int(NR/2)+1]) / 2}'; }

block=$($build/toolgate call create_block '{"type":"page","data":{"title":"A page to read"}}' --address "$address" \
  --workspace bench --user bench --json | sed -E 's/.*"blockId":"([^"]+)".*/\1/')
read_blocks() {
  "$build/load_client" "$address" 16 "$seconds" get_block "{\"blockId\":\"$block\",\"includeChildren\":false}"
}
# At most 500 at once, so that each finds a place in the queue of those that have not begun.
start_waiting() {
  local left=$calls more
  clients=()
  while [ "$left" -gt 0 ]; do
    more=$((left < 500 ? left : 500))
    "$build/load_client" "$address" "$more" 0 "$tool" '{}' >"$work/client.$left" &
    clients+=($!)
    left=$((left - more))
    while [ "$(waiting)" -lt $((calls - left)) ]; do sleep 0.05; done
  done
}
end_waiting() {
  ask release
  for client in "${clients[@]}"; do wait "$client"; done
}

read_blocks >/dev/null
# Stacks and buffers that are kept for reuse count once.
for round in $(seq "$rounds"); do
  read_blocks | number rate >>"$work/alone"
  before=$(resident)
  start_waiting
  read_blocks | number rate >>"$work/beside"
  after=$(resident)
  [ "$round" = 1 ] && echo $(((after - before) * 100 / calls)) >"$work/memory"
  end_waiting
done
awk -v n="$calls" -v kib="$(cat "$work/memory")" -v alone="$(median <"$work/alone")" \
  -v beside="$(median <"$work/beside")" -v check="$check" \
  'BEGIN {printf "%d waiting calls: %.1f KiB each; get_block %.0f/s alone, %.0f/s beside them, ratio %.3f\n",
          n, kib / 100, alone, beside, beside / alone
          exit check == "yes" && (kib / 100 >= 64 || beside / alone < 0.9)}'
