#!/bin/sh
# The C++ compiler of `./dev bazel`: GCC through ccache, so that a build from nothing takes what was compiled before. Each
# action has a folder of its own, but all paths in it are relative. TOOLGATE_CCACHE_DIR is a folder that the sandbox lets
# it write.
[ -n "${TOOLGATE_CCACHE_DIR:-}" ] || exec gcc "$@"
export CCACHE_DIR="$TOOLGATE_CCACHE_DIR" CCACHE_TEMPDIR="$TOOLGATE_CCACHE_DIR/tmp"
export CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1
exec ccache gcc "$@"
