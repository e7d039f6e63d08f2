#!/bin/sh
# Entry point of the image with a shell: makes the folder of the workspaces' files, which a new volume has not.
set -eu
[ -z "${TOOLGATE_FILES_ROOT:-}" ] || mkdir -p "$TOOLGATE_FILES_ROOT"
exec /usr/bin/toolgate "$@"
