#!/bin/bash
# rootfs.sh BUILT ROOT: lays out the root file system of the default image in ROOT: the program BUILT/toolgate, the
# shared libraries that it needs, time zones, certificate authorities, and the licences and package records of all that.
# BUILT/linked-packages.tsv lists the packages that are part of the program.
# Runs on the Debian whose libraries it copies. ROOT/usr/share/sbom/packages.tsv lists the packages.
set -euo pipefail
built=$1
root=$2
here=$(cd "$(dirname "$0")" && pwd)
uid=65532

# --- folders ---------------------------------------------------------------------------------------------------------
mkdir -p "$root"/usr/{bin,lib,lib64,share/sbom} "$root"/etc/{ssl/certs,toolgate} "$root"/var/lib/dpkg/status.d
for folder in bin lib lib64; do ln -sfn "usr/$folder" "$root/$folder"; done
install -d -m 1777 "$root/tmp" "$root/var/tmp"
install -d -m 0700 -o $uid -g $uid "$root/var/lib/toolgate" "$root/run/toolgate"

# --- the program and what it loads -----------------------------------------------------------------------------------
install -m 0755 "$built/toolgate" "$root/usr/bin/toolgate"
# Libraries that are loaded on demand, which the program does not name.
known=$(ldconfig -p)
loaded=()
for name in libcurl.so.4 libmicrohttpd.so.12 libpq.so.5; do
  file=$(awk -v name="$name" '$1 == name && !found {found = $NF} END {print found}' <<<"$known")
  [ -f "$file" ] || { echo "rootfs.sh: this system lacks $name" >&2; exit 1; }
  loaded+=("$file")
done
needed=$(for file in "$built/toolgate" "${loaded[@]}"; do ldd "$file"; done)
if grep 'not found' <<<"$needed" >&2; then
  echo "rootfs.sh: this system lacks the libraries above" >&2
  exit 1
fi
libraries=$(awk '$2 == "=>" && $3 ~ /^\// {print $3} $1 ~ /^\// {print $1}' <<<"$needed" | sort -u)
libraries+=$'\n'$(printf '%s\n' "${loaded[@]}")
files=()
for library in $libraries; do
  file=$(readlink -f "$library")
  files+=("$file")
  # Under the name by which it is loaded, in the folder where the loader looks.
  target=$root/$(realpath -s --relative-to=/ "$(dirname "$file")")/$(basename "$library")
  install -D -m 0755 "$file" "$target"
done
install -D -m 0755 "$(readlink -f /lib64/ld-linux-x86-64.so.2 2>/dev/null || readlink -f /lib/ld-linux-aarch64.so.1)" \
  "$root/$(cd / && ls lib64/ld-linux-x86-64.so.2 lib/ld-linux-aarch64.so.1 2>/dev/null | head -1)"

# --- data ------------------------------------------------------------------------------------------------------------
cp -a /usr/share/zoneinfo "$root/usr/share/"
rm -rf "$root"/usr/share/zoneinfo/{posix,right}
cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
cp -L /etc/os-release "$root/usr/lib/os-release"
ln -sfn ../usr/lib/os-release "$root/etc/os-release"
printf 'root:x:0:0:root:/:/nonexistent\ntoolgate:x:%s:%s::/var/lib/toolgate:/nonexistent\n' $uid $uid >"$root/etc/passwd"
printf 'root:x:0:\ntoolgate:x:%s:\n' $uid >"$root/etc/group"
printf 'hosts: files dns\n' >"$root/etc/nsswitch.conf"
install -m 0644 "$here/config.yaml" "$root/etc/toolgate/config.yaml"

# --- records of the packages -----------------------------------------------------------------------------------------
# owner FILE: the package that a file comes from; dpkg may know it by its path of before /usr was merged.
owner() { { dpkg -S "$1" 2>/dev/null || dpkg -S "${1#/usr}"; } | cut -d: -f1 | head -1; }
packages=$({ for file in "${files[@]}"; do owner "$file"; done; printf '%s\n' tzdata ca-certificates base-files; } | sort -u)
for package in $packages; do
  dpkg-query -s "$package" >"$root/var/lib/dpkg/status.d/$package"
  install -D -m 0644 "$(readlink -f "/usr/share/doc/$package/copyright")" "$root/usr/share/doc/$package/copyright"
done
# shellcheck disable=SC2086 # One word a package.
dpkg-query -W -f '${Package}\t${Version}\t${Architecture}\t${source:Package}\t${source:Version}\n' $packages \
  >"$root/usr/share/sbom/packages.tsv"
install -D -m 0644 "$here/../../LICENSE" "$root/usr/share/doc/toolgate/copyright"
# Debian's licence texts refer to these.
cp -a /usr/share/common-licenses "$root/usr/share/"
while IFS=$'\t' read -r package _; do
  install -D -m 0644 "$(readlink -f "/usr/share/doc/$package/copyright")" "$root/usr/share/doc/$package/copyright"
done <"$built/linked-packages.tsv"
