// A bare Debian 12 in a folder, made from Debian's archive, for tests of what is installed in one.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './prometheus.mjs';

const cache = join(root, 'build/deploy');

// The archive of the base system, built once in build/deploy: what debian:12-slim has, but for its size.
export function baseSystem() {
  const file = join(cache, 'debian-12.tar');
  if (!existsSync(file)) {
    mkdirSync(cache, { recursive: true });
    execFileSync('mmdebstrap', ['--quiet', '--variant=minbase', '--include=ca-certificates',
      '--dpkgopt=path-exclude=/usr/share/man/*', '--dpkgopt=path-exclude=/usr/share/locale/*',
      '--dpkgopt=path-exclude=/usr/share/doc/*', '--dpkgopt=path-include=/usr/share/doc/*/copyright',
      '--format=tar', 'bookworm', `${file}.new`, '/etc/apt/sources.list.d/debian.sources'], { stdio: ['ignore', 'inherit', 'inherit'] });
    renameSync(`${file}.new`, file);
  }
  return file;
}

// Unpacks the base system into `folder`.
export function unpackBase(folder) {
  mkdirSync(folder, { recursive: true });
  execFileSync('tar', ['-xf', baseSystem(), '-C', folder]);
  // No service starts on installation, as in a container.
  writeFileSync(join(folder, 'usr/sbin/policy-rc.d'), '#!/bin/sh\nexit 101\n', { mode: 0o755 });
}

// Runs a bash script in the system in `folder`, with /proc and /dev of its own namespaces. `network`: this machine's, or
// a loopback of its own. Returns {status, stdout, stderr}.
export function runIn(folder, script, { network = false } = {}) {
  const inside = `mount -t proc proc ${folder}/proc
    mount -t tmpfs tmpfs ${folder}/dev
    for node in null zero full random urandom; do touch ${folder}/dev/$node; mount --bind /dev/$node ${folder}/dev/$node; done
    ln -s /proc/self/fd ${folder}/dev/fd
    ${network ? `cp /etc/resolv.conf ${folder}/etc/resolv.conf` : 'ip link set lo up'}
    exec chroot ${folder} /bin/bash -euo pipefail`;
  return spawnSync('unshare', ['--mount', '--pid', '--fork', '--uts', '--ipc', ...(network ? [] : ['--net']), 'bash', '-euc', inside],
    { input: script, encoding: 'utf8', env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C.UTF-8', DEBIAN_FRONTEND: 'noninteractive' } });
}
