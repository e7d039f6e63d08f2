#!/bin/bash
# copyright.sh BUILD_FOLDER: prints the Debian package's copyright file: the licence of toolgate, and those of the packages
# that are part of the program. Packages of one source have one text.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
packages=$("$here/../image/linked_packages.sh" "$1" | sort -t $'\t' -k 4)
line=--------------------------------------------------------------------------------
printf 'toolgate\n\n'
cat "$here/../../LICENSE"
printf '\nThe program contains code of the Debian packages below, each with its own licence.\n\n%s\n' $line
text=
while IFS=$'\t' read -r name version _; do
  own=$(cat "/usr/share/doc/$name/copyright")
  [ -z "$text" ] || [ "$own" = "$text" ] || printf '\n%s\n\n%s\n' "$text" $line
  text=$own
  printf '%s %s\n' "$name" "$version"
done <<<"$packages"
printf '\n%s\n' "$text"
