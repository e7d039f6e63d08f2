// The Debian package: CPack makes it, a bare Debian 12 installs it, the unit's own command serves, removal leaves the
// data, and a systemd in namespaces of its own runs the unit with all its confinement. As root.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, cpSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import grpc from '@grpc/grpc-js';
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
  for (const name of ['libc6', 'libgumbo1', 'libicu72', 'libsqlite3-0', 'libssl3', 'libxml2', 'tzdata']) {
    assert.match(field('Depends'), new RegExp(`(^|, )${name}( |,|$)`));
  }
  // Libraries that are loaded on demand, and programs that single tools need.
  assert.equal(field('Recommends'), 'ca-certificates, libcurl4, libmicrohttpd12');
  assert.equal(field('Suggests'), 'bubblewrap, universal-ctags');
  const control = execFileSync('dpkg-deb', ['--ctrl-tarfile', deb]);
  const conffiles = execFileSync('tar', ['-xO', './conffiles'], { input: control, encoding: 'utf8' });
  assert.equal(conffiles, '/etc/toolgate/config.yaml\n');
  const listed = execFileSync('dpkg-deb', ['-c', deb], { encoding: 'utf8' });
  for (const path of ['/usr/bin/toolgate', '/lib/systemd/system/toolgate.service', '/usr/share/doc/toolgate/copyright']) {
    assert.match(listed, new RegExp(`\\.(/usr)?${path}\n`), path);
  }
  for (const line of listed.trim().split('\n')) assert.match(line, /^\S+ root\/root /, line);
});

test('its copyright file has the licences of what is part of the program', () => {
  const files = execFileSync('dpkg-deb', ['--fsys-tarfile', deb], { maxBuffer: 1 << 28 });
  const copyright = execFileSync('tar', ['-xO', './usr/share/doc/toolgate/copyright'], { input: files, encoding: 'utf8', maxBuffer: 1 << 24 });
  assert.ok(copyright.includes(readFileSync(join(root, 'LICENSE'), 'utf8')));
  // The last three are part of the launcher, a static program inside the program.
  for (const name of ['libabsl-dev', 'libgrpc-dev', 'libprotobuf-dev', 'nlohmann-json3-dev', 'libc6-dev', 'libgcc-12-dev', 'libstdc++-12-dev']) {
    assert.ok(copyright.includes(`\n${name} `), name);
    assert.ok(copyright.includes(readFileSync(`/usr/share/doc/${name}/copyright`, 'utf8').trimEnd()), name);
  }
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

// Fetches a path of the HTTP listener, in a system that has no curl.
const fetching = (path) => `
  exec 3<>/dev/tcp/127.0.0.1/8080
  printf 'GET ${path} HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n' >&3
  head -1 <&3`;
const httpConfig = 'http:\n  listen: 127.0.0.1:8080\n';

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

test('it serves HTTP with what it recommends', { timeout: 600_000 }, () => {
  inside('apt-get install -y -qq --no-install-recommends ca-certificates libcurl4 libmicrohttpd12', { network: true });
  const out = inside(`
    cp -a /etc/toolgate/config.yaml /root/config.yaml
    printf '${httpConfig}' >>/etc/toolgate/config.yaml
    ${serving(`${fetching('/healthz')}; ${fetching('/readyz')}; ${fetching('/v1/tools?caller.workspace_id=w&caller.user_id=u')}`)}
    cp -a /root/config.yaml /etc/toolgate/config.yaml`);
  assert.equal(out.replaceAll('\r', ''), `serving\n${'HTTP/1.1 200 OK\n'.repeat(3)}ended with 0\n`);
});

// System calls of a group, as systemd-analyze knows them.
function members(group) {
  if (!group.startsWith('@')) return [group];
  const run = spawnSync('systemd-analyze', ['syscall-filter', '--no-pager', group], { encoding: 'utf8' });
  return run.stdout.split('\n').slice(1).map((line) => line.trim()).filter((name) => name && !name.startsWith('#')).flatMap(members);
}

// System calls that a list of SystemCallFilter= values allows.
function allowedBy(filters) {
  const allowed = new Set(members('@default'));
  for (const filter of filters) {
    for (const name of filter.replace(/^~/, '').split(' ').flatMap(members)) {
      if (filter.startsWith('~')) allowed.delete(name);
      else allowed.add(name);
    }
  }
  return allowed;
}

// A receiver of traces: counts the requests, and answers each.
async function startCollector() {
  const server = new grpc.Server();
  const collector = { requests: 0, stop: () => server.forceShutdown() };
  const bytes = (value) => value;
  server.addService({
    Export: { path: '/opentelemetry.proto.collector.trace.v1.TraceService/Export', requestStream: false, responseStream: false,
      requestSerialize: bytes, requestDeserialize: bytes, responseSerialize: bytes, responseDeserialize: bytes },
  }, { Export: (_, done) => { ++collector.requests; done(null, Buffer.alloc(0)); } });
  const port = await new Promise((resolve, reject) => server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(),
    (error, bound) => (error ? reject(error) : resolve(bound))));
  collector.endpoint = `http://127.0.0.1:${port}`;
  return collector;
}

// Names of the system calls that the service and its children make while it serves gRPC, HTTP and metrics, exports
// traces, and a bash script calls it. `config`: lines of the configuration.
async function systemCalls(name, config, script) {
  const place = join(folder, name);
  const collector = await startCollector();
  const whole = `chmod 0755 ${folder}
    mkdir ${place}
    install -d -o nobody ${place}/own ${place}/own/files
    printf '${config.replace('FILES', `${place}/own/files`).replaceAll('\n', '\\n')}' >${place}/config.yaml
    strace -f -qq -o ${place}/trace -u nobody ${resolve(root, binary)} serve --config ${place}/config.yaml --listen 127.0.0.1:0 \
      --metrics-listen 127.0.0.1:0 --http-listen 127.0.0.1:0 --data-dir ${place}/own/data 2>${place}/log & pid=$!
    for _ in $(seq 100); do grep -q '"serving"' ${place}/log && break; sleep 0.1; done
    value() { sed -nE 's/.*"serving".*"'$1'":"([^"]+)".*/\\1/p' ${place}/log; }
    export TOOLGATE_ADDRESS=$(value address) TOOLGATE_WORKSPACE=w TOOLGATE_USER=u PATH=${dirname(resolve(root, binary))}:$PATH
    curl -sSf http://$(value metrics)/metrics | grep ^toolgate_ready
    curl -sSf -o /dev/null 'http://'$(value http)'/v1/tools?caller.workspace_id=w&caller.user_id=u'
    ${script}
    pkill -TERM -P $pid toolgate
    wait $pid`;
  // Not spawnSync: the receiver has to answer meanwhile.
  const child = spawn('bash', ['-euc', whole], { stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint } });
  let out = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => { out += text; });
  const status = await new Promise((done) => child.on('close', done));
  collector.stop();
  assert.equal(status, 0, out);
  assert.ok(collector.requests > 0, 'spans were exported');
  const made = new Set([...readFileSync(join(place, 'trace'), 'utf8').matchAll(/^\d+ +(\w+)\(/gm)].map((match) => match[1]));
  assert.ok(made.size > 30, [...made].join(' '));
  return { made, out };
}

const dropIn = (name) => readFileSync(join(root, 'deploy/systemd', name), 'utf8').match(/^SystemCallFilter=(.*)$/m)[1];

test('every system call that it makes passes the unit\'s filter', async () => {
  const plain = allowedBy(unitValues('SystemCallFilter'));
  const { made } = await systemCalls('plain', 'shell:\n  bubblewrap: /nonexistent\n', `
    toolgate call create_block '{"type": "page", "data": {"title": "Traced"}}'
    toolgate call search_workspace '{"query": "traced"}'
    toolgate backup ${folder}/backup`);
  assert.deepEqual([...made].filter((name) => !plain.has(name)), []);
});

test('every system call of the tools on files passes it with the drop-in for files', async () => {
  const allowed = allowedBy([...unitValues('SystemCallFilter'), dropIn('files.conf')]);
  for (const name of ['mount', 'chown', 'setuid', 'ptrace', 'bpf', 'reboot']) assert.ok(!allowed.has(name), name);
  // Without a sandbox there is no Bash; the next test has one.
  const { made, out } = await systemCalls('files', 'files:\n  root: FILES\nshell:\n  bubblewrap: /nonexistent\n', `
    toolgate call Write '{"file": "a.py", "content": "def traced():\\n  return 1\\n"}' --confirm
    toolgate call GraphQuery '{"query": "MATCH (s:Symbol) RETURN s.name"}'`);
  assert.match(out, /"traced"/, 'the graph has the symbol');
  assert.deepEqual([...made].filter((name) => !allowed.has(name)), []);
});

test('every system call of Bash passes it with both drop-ins, and those that a cluster must allow are listed', async () => {
  const allowed = allowedBy([...unitValues('SystemCallFilter'), dropIn('files.conf'), dropIn('bash.conf')]);
  const { made, out } = await systemCalls('shell', 'files:\n  root: FILES\n', `
    toolgate call Bash '{"command": "echo from the sandbox | tee f"}' --confirm`);
  assert.match(out, /"stdout": "from the sandbox\\n"/);
  // The launcher tries it, and goes on without it.
  allowed.add('setgroups');
  assert.deepEqual([...made].filter((name) => !allowed.has(name)), []);
  // Refused by the default profiles of container runtimes, unless there is CAP_SYS_ADMIN. Threads use clone3 too, and the C
  // library goes on without it.
  const refused = ['fsconfig', 'fsmount', 'fsopen', 'fspick', 'mount', 'mount_setattr', 'move_mount', 'open_tree', 'pivot_root',
    'setdomainname', 'sethostname', 'setns', 'umount2', 'unshare'];
  const listed = readFileSync(join(root, 'SECURITY.md'), 'utf8').match(/^\| the system calls (.*?) \|/m)[1];
  assert.deepEqual([...listed.matchAll(/`(\w+)`/g)].map((match) => match[1]).sort(),
    ['clone', ...refused.filter((name) => made.has(name))].sort());
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
  inside('apt-get install -y -qq --no-install-recommends systemd dbus bubblewrap universal-ctags libmicrohttpd12', { network: true });
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

const restarted = `systemctl restart toolgate || { journalctl --no-pager -u toolgate; exit 1; }
    for _ in $(seq 100); do toolgate health >/dev/null 2>&1 && break; sleep 0.1; done
    export TOOLGATE_WORKSPACE=w TOOLGATE_USER=u`;

test('the unit serves HTTP, and files and the code graph with their drop-in', { timeout: 300_000 }, () => {
  cpSync(join(root, 'deploy/systemd/files.conf'), join(system, 'root/files.conf'));
  const out = booted(`
    mkdir -p /etc/systemd/system/toolgate.service.d
    cp /root/files.conf /etc/systemd/system/toolgate.service.d/
    systemctl daemon-reload
    sed -i 's/^# files:/files:/; s/^#   root:/  root:/' /etc/toolgate/config.yaml
    printf '${httpConfig}' >>/etc/toolgate/config.yaml
    ${restarted}
    ${fetching('/healthz')}
    toolgate call Write '{"file": "a.py", "content": "def confined():\\n  return 1\\n"}' --confirm --json
    toolgate call GraphQuery '{"query": "MATCH (s:Symbol) RETURN s.name"}' --json
    stat -c "%U %a" /var/lib/toolgate-files /var/lib/toolgate-files/w/a.py
    toolgate call Bash '{"command": "true"}' --confirm 2>&1 || true`);
  assert.match(out, /^HTTP\/1.1 200 OK\r?\n/);
  assert.match(out, /"confined"/);
  assert.match(out, /\ntoolgate 700\ntoolgate 6\d\d\n/);
  assert.match(out, /NOT_CONFIGURED/, 'Bash needs the drop-in');
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

test('the unit runs commands of Bash with its drop-in', { timeout: 300_000 }, () => {
  const out = booted(`
    rm /etc/systemd/system/toolgate.service.d/try.conf
    systemctl daemon-reload
    ${restarted}
    toolgate call Bash '{"command": "id -un; echo from the sandbox >f; ls"}' --confirm --json ||
      { journalctl --no-pager -u toolgate; exit 1; }
    cat /var/lib/toolgate-files/w/f`);
  assert.match(out, /user\\na.py\\nf\\n/);
  assert.match(out, /from the sandbox\n$/);
});
