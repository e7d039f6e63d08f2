#!/bin/sh
# linked_packages.sh BUILD_FOLDER: lists the Debian packages whose archives or header-only libraries became part of the
# program, one a line: name, version, architecture, source package, source version.
set -eu
{
  ninja -C "$1" -t commands toolgate | tail -1 | tr ' ' '\n' | grep '^/.*\.a$'
  # Libraries that are headers alone leave no archive on the command line of the linker.
  ninja -C "$1" -t deps | grep -oE '/usr/include/(CLI|nlohmann|boost)/[^ ]+' | sort -u
} | sort -u | xargs dpkg -S | cut -d: -f1 | sort -u |
  xargs dpkg-query -W -f '${Package}\t${Version}\t${Architecture}\t${source:Package}\t${source:Version}\n'
