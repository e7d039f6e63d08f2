// The Debian package: CPack makes it, a bare Debian 12 installs it, the unit's own command serves, removal leaves the
// data, and a systemd in namespaces of its own runs the unit with all its confinement. As root.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, cpSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { bootIn, runIn, unpackBase } from './bare_debian.mjs';
import { root } from './prometheus.mjs';
import { binary } from './server.mjs';

const folder = mkdtempSync(join(tmpdir(), 'toolgate-package-'));
const system = join(folder, 'system');
const unit = join(root, 'deploy/systemd/toolgate.service');
let deb;

after(() => rmSync(folder, { recursive: true, force: true }));
before(() => {
  unpackBase(system);
  execFileSync('cpack', ['--config', join(dirname(resolve(root, binary)), 'CPackConfig.cmake'), '-G', 'DEB', '-B', folder],
    { stdio: ['ignore', 'ignore', 'inherit'] });
  deb = join(folder, readdirSync(folder).find((name) => name.endsWith('.deb')));
});

function inside(script, options) {
  const run = runIn(system, script, options);
  assert.equal(run.status, 0, `${script}\n${run.stdout}${run.stderr}`);
  return run.stdout;
}

// Values of a key in the unit file, in order.
const unitValues = (key) => [...readFileSync(unit, 'utf8').matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map((match) => match[1]);

test('the package names what it needs, and its configuration', () => {
  const field = (name) => execFileSync('dpkg-deb', ['-f', deb, name], { encoding: 'utf8' }).trim();
  assert.equal(field('Package'), 'toolgate');
  for (const name of ['libc6', 'libsqlite3-0', 'libssl3', 'libicu72', 'tzdata']) {
    assert.match(field('Depends'), new RegExp(`(^|, )${name}( |,|$)`));
  }
  const control = execFileSync('dpkg-deb', ['--ctrl-tarfile', deb]);
  const conffiles = execFileSync('tar', ['-xO', './conffiles'], { input: control, encoding: 'utf8' });
  assert.equal(conffiles, '/etc/toolgate/config.yaml\n');
  const listed = execFileSync('dpkg-deb', ['-c', deb], { encoding: 'utf8' });
  for (const path of ['/usr/bin/toolgate', '/lib/systemd/system/toolgate.service', '/usr/share/doc/toolgate/copyright']) {
    assert.match(listed, new RegExp(`\\.(/usr)?${path}\n`), path);
  }
  for (const line of listed.trim().split('\n')) assert.match(line, /^\S+ root\/root /, line);
});

test('a bare Debian 12 installs it', { timeout: 600_000 }, () => {
  cpSync(deb, join(system, 'tmp/toolgate.deb'));
  inside('apt-get update -qq && apt-get install -y -qq --no-install-recommends /tmp/toolgate.deb', { network: true });
  assert.match(inside('toolgate version'), /^toolgate \d/);
  assert.match(inside('id toolgate'), /toolgate/);
  assert.equal(inside('stat -c "%U:%G %a" /var/lib/toolgate /etc/toolgate/config.yaml'), 'toolgate:toolgate 700\nroot:toolgate 640\n');
});

test('systemd accepts the unit and finds it well confined', () => {
  const verify = spawnSync('systemd-analyze', ['verify', '--man=no', `--root=${system}`, 'toolgate.service'], { encoding: 'utf8' });
  // The bare system has no units of systemd's own.
  const problems = verify.stderr.split('\n').filter((line) => line.includes('toolgate.service') && !/Unit \w+\.target not found/.test(line));
  assert.deepEqual(problems, []);
  // The exposure times ten; 1.0 is what a service on a network can hardly go below.
  const security = spawnSync('systemd-analyze', ['security', '--no-pager', '--offline=true', '--threshold=12', unit], { encoding: 'utf8' });
  assert.equal(security.status, 0, security.stdout.split('\n').filter((line) => !line.startsWith('✓')).join('\n'));
});

// Serves as the unit would: its commands, user, umask and folders, without capabilities.
const serving = (script) => `
  as_unit="setpriv --reuid=toolgate --regid=toolgate --clear-groups --bounding-set=-all --inh-caps=-all --no-new-privs"
  install -d -m 0750 -o toolgate -g toolgate /run/toolgate
  cd ${unitValues('WorkingDirectory')[0]}
  umask ${unitValues('UMask')[0]}
  $as_unit ${unitValues('ExecStartPre')[0]} >&2
  $as_unit ${unitValues('ExecStart')[0]} 2>/tmp/log & pid=$!
  for _ in $(seq 100); do toolgate health >/dev/null 2>&1 && break; sleep 0.1; done
  toolgate health || { cat /tmp/log; exit 1; }
  export TOOLGATE_WORKSPACE=w TOOLGATE_USER=u
  ${script}
  kill -TERM $pid
  wait $pid && echo "ended with 0"`;

test('the unit\'s command serves, reloads, and stops', () => {
  assert.deepEqual([unitValues('User'), unitValues('StateDirectory')], [['toolgate'], ['toolgate']]);
  const out = inside(serving(`
    toolgate call create_block '{"type": "page", "data": {"title": "Kept"}}' --json >/dev/null
    toolgate call search_workspace '{"query": "kept"}' --json
    kill -HUP $pid
    for _ in $(seq 100); do grep -q "configuration read again" /tmp/log && break; sleep 0.1; done
    grep -c "configuration read again" /tmp/log`));
  assert.match(out, /^serving\n/);
  assert.match(out, /Kept/);
  assert.match(out, /\n1\nended with 0\n$/);
});

test('every system call that it makes passes the unit\'s filter', () => {
  const filters = unitValues('SystemCallFilter');
  assert.deepEqual(filters, ['@system-service', '~@privileged @resources']);
  const members = (group) => {
    const run = spawnSync('systemd-analyze', ['syscall-filter', '--no-pager', group], { encoding: 'utf8' });
    return run.stdout.split('\n').slice(1).map((line) => line.trim()).filter((name) => name && !name.startsWith('#'))
      .flatMap((name) => (name.startsWith('@') ? members(name) : [name]));
  };
  const allowed = new Set([...members('@system-service'), ...members('@default')]);
  for (const name of [...members('@privileged'), ...members('@resources')]) allowed.delete(name);
    const trace = join(folder, 'trace');
  const script = `chmod 0755 ${folder}
    install -d -o nobody ${join(folder, 'nobody')}
    strace -f -qq -o ${trace} -u nobody ${resolve(root, binary)} serve --listen 127.0.0.1:0 --metrics-listen 127.0.0.1:0 --data-dir ${folder}/nobody/data 2>${folder}/log & pid=$!
    for _ in $(seq 100); do grep -q '"serving"' ${folder}/log && break; sleep 0.1; done
    export TOOLGATE_ADDRESS=$(sed -nE 's/.*"serving".*"address":"([^"]+)".*/\\1/p' ${folder}/log) TOOLGATE_WORKSPACE=w TOOLGATE_USER=u PATH=${dirname(resolve(root, binary))}:$PATH
    toolgate call create_block '{"type": "page", "data": {"title": "Traced"}}'
    toolgate call search_workspace '{"query": "traced"}'
    toolgate backup ${folder}/backup
    pkill -TERM -P $pid toolgate
    wait $pid`;
  const run = spawnSync('bash', ['-euc', script], { encoding: 'utf8' });
  assert.equal(run.status, 0, run.stdout + run.stderr);
  const made = new Set([...readFileSync(trace, 'utf8').matchAll(/^\d+ +(\w+)\(/gm)].map((match) => match[1]));
  assert.ok(made.size > 30, [...made].join(' '));
  assert.deepEqual([...made].filter((name) => !allowed.has(name)), []);
});

test('removal keeps configuration and data, and purging keeps the data', () => {
  inside('apt-get remove -y -qq toolgate');
  inside('! command -v toolgate && test -f /etc/toolgate/config.yaml && test -f /var/lib/toolgate/toolgate.db');
  inside('dpkg --purge toolgate');
  inside('test ! -e /etc/toolgate && test -f /var/lib/toolgate/toolgate.db');
});

test('data is still there after reinstallation', { timeout: 600_000 }, () => {
  inside('apt-get install -y -qq --no-install-recommends /tmp/toolgate.deb', { network: true });
  assert.match(inside(serving('toolgate call search_workspace \'{"query": "kept"}\' --json')), /Kept/);
});

function booted(script) {
  const run = bootIn(system, script);
  assert.equal(run.status, 0, `${script}\n${run.stdout}${run.stderr}`);
  return run.stdout;
}

test('systemd starts it with the machine, reloads and stops it', { timeout: 900_000 }, () => {
  inside('apt-get install -y -qq --no-install-recommends systemd dbus bubblewrap', { network: true });
  const out = booted(`
    for _ in $(seq 100); do toolgate health >/dev/null 2>&1 && break; sleep 0.1; done
    systemctl status --no-pager toolgate || { journalctl --no-pager -u toolgate; exit 1; }
    toolgate call create_block '{"type": "page", "data": {"title": "Under systemd"}}' --workspace w --user u
    exec 3<>/dev/tcp/127.0.0.1/9464; printf 'GET /metrics HTTP/1.0\\r\\n\\r\\n' >&3; grep ^process_start_time_seconds <&3
    systemctl reload toolgate
    for _ in $(seq 100); do journalctl -u toolgate --no-pager | grep -q "configuration read again" && break; sleep 0.1; done
    journalctl -u toolgate --no-pager | grep -o "configuration read again"
    systemctl stop toolgate
    systemctl show -p Result -p ExecMainStatus toolgate`);
  assert.match(out, /Active: active \(running\)/);
  assert.match(out, /Under systemd/);
  assert.match(out, /process_start_time_seconds 1[0-9.e+]+/);
  assert.match(out, /configuration read again\nResult=success\nExecMainStatus=0\n$/);
});

test('bubblewrap works in the unit with the drop-in for commands, and not without', { timeout: 300_000 }, () => {
  cpSync(join(root, 'deploy/systemd/bash.conf'), join(system, 'root/bash.conf'));
  const out = booted(`
    folder=/etc/systemd/system/toolgate.service.d
    mkdir -p $folder
    cat >$folder/try.conf <<'UNIT'
[Service]
Restart=no
TimeoutStopSec=5s
ExecStartPre=/usr/bin/bwrap --unshare-all --ro-bind / / --proc /proc --dev /dev --tmpfs /tmp --new-session --die-with-parent --cap-drop ALL /bin/sh -c "echo sandboxed as process $$$$"
ExecStartPre=/bin/sh -c "mkdir lower upper work all; unshare -Urm sh -c 'mount -t overlay overlay -o lowerdir=lower,upperdir=upper,workdir=work,userxattr all; echo x >all/changed'; ls upper; rm -r lower upper all"
UNIT
    systemctl daemon-reload
    systemctl restart toolgate && exit 1
    journalctl -u toolgate --no-pager -o cat | grep -o "No permissions to create new namespace" | head -1
    cp /root/bash.conf $folder/
    systemctl daemon-reload
    systemctl restart toolgate || { journalctl --no-pager -u toolgate; exit 1; }
    journalctl -u toolgate --no-pager -o cat | grep -E "^(sandboxed|changed)"
    for _ in $(seq 100); do toolgate health >/dev/null 2>&1 && break; sleep 0.1; done
    toolgate health`);
  assert.equal(out, 'No permissions to create new namespace\nsandboxed as process 2\nchanged\nserving\n');
});
