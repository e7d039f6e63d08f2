#!/usr/bin/env bash
# Installs what tests need from npm into tests/e2e/node_modules, once for each state of the lock file.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

stamp=node_modules/.installed-lock
wanted=$(sha256sum package.json package-lock.json)
if [[ -f $stamp && $(<"$stamp") == "$wanted" ]]; then
  exit 0
fi
npm ci --no-audit --no-fund --prefer-offline
printf '%s\n' "$wanted" >"$stamp"
