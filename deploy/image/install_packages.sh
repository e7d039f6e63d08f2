#!/bin/sh
# install_packages.sh GROUP…: installs the packages of these groups of cmake/debian-packages.txt.
set -eu
names=$(for group in "$@"; do
  sed -n "/^\[$group\]/,/^\[/p" "$(dirname "$0")/../../cmake/debian-packages.txt" | grep -vE '^(\[|#|$)'
done)
apt-get update -qq
# shellcheck disable=SC2086 # One word a package.
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $names >/dev/null
