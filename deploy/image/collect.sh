#!/bin/sh
# collect.sh BUILD_FOLDER OUT: puts into OUT the stripped program of a build folder, its Debian package, and
# linked-packages.tsv, the packages that became part of the program.
set -eu
here=$(dirname "$0")
mkdir -p "$2"
strip -o "$2/toolgate" "$1/toolgate"
"$here/linked_packages.sh" "$1" >"$2/linked-packages.tsv"
cpack --config "$1/CPackConfig.cmake" -G DEB -B "$2/package" >/dev/null
mv "$2"/package/toolgate_*.deb "$2/toolgate.deb"
rm -rf "$2/package"
