#!/usr/bin/env bash
# Installs what tests need from npm into tests/e2e/node_modules, once for each state of the lock file.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

stamp=node_modules/.installed-lock
wanted=$(sha256sum package.json package-lock.json)
if [[ -f $stamp && $(<"$stamp") == "$wanted" ]]; then
  exit 0
fi
# Not `npm ci`: it refuses a lock file that leaves out the platform packages of other machines. Versions are exact in
# package.json, checked by the lock file's hashes, and --no-save leaves both files as they are.
npm install --no-save --no-audit --no-fund --prefer-offline --loglevel=error
printf '%s\n' "$wanted" >"$stamp"
