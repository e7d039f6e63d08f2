#!/bin/sh
# shell.sh BUILT: turns Debian's base system into the image with a shell. Installs BUILT/toolgate.deb, the sandbox, the
# indexer of code and what toolgate loads on demand, and lists all packages in /usr/share/sbom/toolgate.cdx.json.
# BUILT/linked-packages.tsv lists those that are part of the program; their licences are in toolgate's own copyright
# file.
set -eu
built=$1
here=$(dirname "$0")
apt-get update -qq
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$built/toolgate.deb" \
  bubblewrap ca-certificates libcurl4 libmicrohttpd12 libpq5 universal-ctags >/dev/null
rm -rf /var/lib/apt/lists/*

install -m 0644 "$here/config.yaml" /etc/toolgate/config.yaml
install -D -m 0755 "$here/entrypoint.sh" /usr/lib/toolgate/entrypoint
install -d -m 0700 -o 65532 -g 65532 /var/lib/toolgate /var/lib/toolgate-files /run/toolgate

mkdir -p /usr/share/sbom
dpkg-query -W -f '${Package}\t${Version}\t${Architecture}\t${source:Package}\t${source:Version}\n' |
  grep -v '^toolgate	' >/usr/share/sbom/packages.tsv
"$here/sbom.sh" "$(toolgate version | cut -d ' ' -f 2)" static="$built/linked-packages.tsv" \
  shared=/usr/share/sbom/packages.tsv >/usr/share/sbom/toolgate.cdx.json
