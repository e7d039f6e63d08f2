#!/bin/sh
# build.sh OUT: builds the program and its Debian package, and puts into OUT the stripped program, the package, and
# linked-packages.tsv, the packages that became part of the program.
set -eu
cd "$(dirname "$0")/../.."
out=$1
mkdir -p "$out"
cmake --preset release -DTOOLGATE_TESTS=OFF -DTOOLGATE_BENCHMARKS=OFF >/dev/null
cmake --build --preset release --target toolgate
strip -o "$out/toolgate" build/release/toolgate
deploy/image/linked_packages.sh build/release >"$out/linked-packages.tsv"
cpack --config build/release/CPackConfig.cmake -G DEB -B "$out/package" >/dev/null
mv "$out"/package/toolgate_*.deb "$out/toolgate.deb"
