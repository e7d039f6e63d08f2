#!/bin/bash
# linked_packages.sh BUILD_FOLDER: lists the Debian packages whose archives or header-only libraries became part of the
# program, one a line: name, version, architecture, source package, source version. The program holds another one, the
# launcher of the shell's sandbox, which is linked statically.
set -euo pipefail
commands=$(ninja -C "$1" -t commands toolgate)
headers=$(ninja -C "$1" -t deps)
compiler=$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' "$1/CMakeCache.txt")
files=$({
  tr ' ' '\n' <<<"$commands" | grep '^/.*\.a$'
  # Libraries that are headers alone leave no archive on the command line of the linker.
  grep -oE '/usr/include/(CLI|nlohmann|boost)/[^ ]+' <<<"$headers"
  # Every program has the C library's first object and the compiler's own functions; a static one has the rest too.
  for file in crt1.o libgcc.a libc.a libstdc++.a; do realpath "$("$compiler" -print-file-name="$file")"; done
} | sort -u)
owners=$(xargs dpkg -S <<<"$files")
cut -d: -f1 <<<"$owners" | sort -u |
  xargs dpkg-query -W -f '${Package}\t${Version}\t${Architecture}\t${source:Package}\t${source:Version}\n'
