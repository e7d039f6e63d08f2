#!/bin/sh
# build.sh OUT [REVISION]: builds the program, and collects in OUT what the images are made of.
set -eu
cd "$(dirname "$0")/../.."
cmake --preset release -DTOOLGATE_TESTS=OFF -DTOOLGATE_REVISION="${2:-}" >/dev/null
cmake --build --preset release --target toolgate
deploy/image/collect.sh build/release "$1"
