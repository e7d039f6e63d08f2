// A bare Debian 12 in a folder, made from Debian's archive, for tests of what is installed in one.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './prometheus.mjs';

const cache = join(root, 'build/deploy');

// The archive of the base system, built once in build/deploy: what debian:12-slim has, but for its size.
export function baseSystem() {
  const file = join(cache, 'debian-12-slim.tar');
  if (!existsSync(file)) {
    mkdirSync(cache, { recursive: true });
    // This machine's own sources, in either of the places where Debian keeps them.
    const sources = ['/etc/apt/sources.list.d/debian.sources', '/etc/apt/sources.list'].find(existsSync);
    // Not the package ca-certificates, which debian:12-slim has not: apt alone gets authorities, where a source needs them.
    const bundle = '/etc/ssl/certs/ca-certificates.crt';
    const trust = !readFileSync(sources, 'utf8').includes('https://') ? [] : [`--customize-hook=copy-in ${bundle} /etc/apt`,
      '--customize-hook=echo \'Acquire::https::CaInfo "/etc/apt/ca-certificates.crt";\' >"$1/etc/apt/apt.conf.d/authorities"'];
    execFileSync('mmdebstrap', ['--quiet', '--variant=minbase', ...trust,
      '--dpkgopt=path-exclude=/usr/share/man/*', '--dpkgopt=path-exclude=/usr/share/locale/*',
      '--dpkgopt=path-exclude=/usr/share/doc/*', '--dpkgopt=path-include=/usr/share/doc/*/copyright',
      '--format=tar', 'bookworm', `${file}.new`, sources], { stdio: ['ignore', 'inherit', 'inherit'] });
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
    exec chroot ${folder} /bin/bash --norc -euo pipefail`;
  return spawnSync('unshare', ['--mount', '--pid', '--fork', '--uts', '--ipc', ...(network ? [] : ['--net']), 'bash', '-euc', inside],
    { input: script, encoding: 'utf8', env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C.UTF-8', DEBIAN_FRONTEND: 'noninteractive' } });
}

// Makes the file system in `folder` the root of its own namespaces, with a loopback of their own, and runs a bash script
// in it as root. Unlike in a chroot, user namespaces can be made. Returns {status, stdout, stderr}.
export function pivotInto(folder, script) {
  const inside = `ip link set lo up
    mount --make-rprivate /
    mount --bind ${folder} ${folder}
    cd ${folder}
    mount -t proc proc proc
    mount -t tmpfs -o mode=755 tmpfs dev
    for node in null zero full random urandom tty; do touch dev/$node; mount --bind /dev/$node dev/$node; done
    ln -s /proc/self/fd dev/fd
    mkdir dev/old
    pivot_root . dev/old
    exec chroot . /bin/sh -c 'umount -l /dev/old; rmdir /dev/old; exec /bin/bash --norc -euo pipefail'`;
  return spawnSync('unshare', ['--mount', '--pid', '--fork', '--uts', '--ipc', '--net', 'bash', '-euc', inside],
    { input: script, encoding: 'utf8', env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C.UTF-8' } });
}

// Boots the system in `folder` with its own systemd, in namespaces with a loopback of their own, and runs a bash script in
// it once it has started. Returns {status, stdout, stderr} of the script.
export function bootIn(folder, script) {
  const inside = `ip link set lo up
    mount --make-rprivate /
    mount --bind ${folder} ${folder}
    cd ${folder}
    mount -t proc proc proc
    mount -t sysfs -o ro sysfs sys
    if [ "$(stat -fc %T /sys/fs/cgroup)" = cgroup2fs ]; then
      mount -t cgroup2 cgroup2 sys/fs/cgroup
    else
      mount -t tmpfs tmpfs sys/fs/cgroup
      mkdir sys/fs/cgroup/systemd
      mount -t cgroup -o none,name=systemd cgroup sys/fs/cgroup/systemd
    fi
    for part in run tmp; do mount -t tmpfs tmpfs $part; done
    mount -t tmpfs -o mode=755 tmpfs dev
    for node in null zero full random urandom tty; do touch dev/$node; mount --bind /dev/$node dev/$node; done
    mkdir dev/pts dev/shm
    mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts
    mount -t tmpfs tmpfs dev/shm
    ln -s pts/ptmx dev/ptmx
    ln -s /proc/self/fd dev/fd
    mkdir -p .old
    pivot_root . .old
    exec chroot . /bin/sh -c 'umount -l /.old; rmdir /.old; exec env -i container=lxc PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --log-target=journal'`;
  const outside = `groups=/sys/fs/cgroup/systemd
    [ -d $groups ] || groups=/sys/fs/cgroup
    group=$groups/toolgate-test-$$
    mkdir $group
    (echo $BASHPID >$group/cgroup.procs; exec unshare --mount --pid --fork --ipc --uts --net --cgroup bash -euc "$INSIDE") </dev/null & outer=$!
    stop() {
      [ -n "\${init:-}" ] && kill -s RTMIN+4 $init
      for _ in $(seq 100); do kill -0 $outer 2>/dev/null || break; sleep 0.1; done
      kill -KILL \${init:-} $outer 2>/dev/null || true
      wait $outer || true
      find $group -depth -type d -exec rmdir {} \\;
    }
    trap stop EXIT
    for _ in $(seq 300); do
      init=$(pgrep -P $outer -x systemd || true)
      state=$([ -n "$init" ] && nsenter -t $init -a -r systemctl is-system-running 2>/dev/null || true)
      case $state in running | degraded) break ;; esac
      sleep 0.1
    done
    nsenter -t $init -a -r bash --norc -euo pipefail`;
  return spawnSync('bash', ['-euc', outside],
    { input: `cd /\n${script}`, encoding: 'utf8', env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C.UTF-8', INSIDE: inside } });
}
