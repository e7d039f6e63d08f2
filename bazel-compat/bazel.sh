#!/usr/bin/env bash
# Runs Debian's Bazel on this tree, without downloads and with its output in build/bazel.
#
#   bazel.sh COMMAND [ARGUMENTS]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

command=$1
shift
options=(--config=debian)
case $command in
  build | test | run)
    cache=$(ccache --get-config cache_dir)
    mkdir -p "$cache"
    options+=(--config=quick "--action_env=TOOLGATE_CCACHE_DIR=$cache" "--sandbox_writable_path=$cache")
    ;;
  query | cquery | aquery) ;;
  *) options=() ;;
esac
CC=$PWD/cc.sh exec bazel "--output_base=$(dirname "$PWD")/build/bazel" "$command" "${options[@]}" "$@"
