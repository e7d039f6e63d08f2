#!/bin/sh
# build.sh OUT [REVISION]: builds the program, optimised by a profile, and collects in OUT what the images are made of.
set -eu
cd "$(dirname "$0")/../.."
cmake/pgo.sh TOOLGATE_REVISION="${2:-}"
deploy/image/collect.sh build/pgo "$1"
