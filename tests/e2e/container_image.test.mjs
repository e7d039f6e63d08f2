// The container image: buildah runs deploy/Dockerfile on a base system made from Debian's archive, and the result is
// small, has no shell, says what it is made of, and serves read-only as an ordinary user. As root.
//
// The stage that compiles is replaced by the program of this build folder, unless TOOLGATE_COMPILE_IMAGE is set.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { baseSystem, pivotInto } from './bare_debian.mjs';
import { root } from './prometheus.mjs';
import { binary } from './server.mjs';

const folder = mkdtempSync(join(tmpdir(), 'toolgate-image-'));
const context = join(folder, 'context');
const storage = ['--root', join(folder, 'storage'), '--runroot', join(folder, 'run'), '--storage-driver', process.env.STORAGE_DRIVER ?? 'overlay'];
const buildah = (...args) =>
  execFileSync('buildah', [...storage, ...args], { encoding: 'utf8', maxBuffer: 1 << 26 }).trim();
// The version and revision that the program tells of itself. When the image's build compiles it, the revision is the test's.
const stamp = JSON.parse(execFileSync(resolve(root, binary), ['version', '--json'], { encoding: 'utf8' }));
if (process.env.TOOLGATE_COMPILE_IMAGE) stamp.revision = '0123456789abcdef0123456789abcdef01234567';
let image, mounted;

// The files that git knows, in a folder of their own.
function copySources() {
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root, encoding: 'utf8' });
  for (const file of files.split('\0').filter(Boolean)) cpSync(join(root, file), join(context, file), { recursive: true });
}

function build(target, { version, revision } = stamp) {
  const dockerfile = readFileSync(join(root, 'deploy/Dockerfile'), 'utf8');
  const compiling = 'RUN deploy/image/build.sh /out "$REVISION"';
  assert.ok(dockerfile.includes(compiling));
  writeFileSync(join(folder, 'Dockerfile'), process.env.TOOLGATE_COMPILE_IMAGE ? dockerfile
    : dockerfile.replace(compiling, 'COPY deploy/built /out'));
  return buildah('bud', '--isolation', 'chroot', '--pull-never', '--layers', '--format', 'docker', '--quiet', '--target', target,
    '--build-arg', `VERSION=${version}`, '--build-arg', `REVISION=${revision}`, '-f', join(folder, 'Dockerfile'), '-t', `toolgate-${target}`, context);
}

before(() => {
  mkdirSync(context);
  copySources();
  execFileSync(join(root, 'deploy/image/collect.sh'), [dirname(resolve(root, binary)), join(context, 'deploy/built')]);
  const base = buildah('from', 'scratch');
  buildah('add', '--quiet', base, baseSystem(), '/');
  buildah('commit', '--quiet', base, 'debian:12-slim');
  image = build('service');
  mounted = buildah('mount', buildah('from', '--pull-never', 'toolgate-service'));
});
after(() => {
  spawnSync('buildah', [...storage, 'rm', '--all']);
  spawnSync('buildah', [...storage, 'rmi', '--all', '--force']);
  rmSync(folder, { recursive: true, force: true });
});

function describes(id, system, entrypoint) {
  const { Docker: { config } } = JSON.parse(buildah('inspect', '--type', 'image', id));
  assert.equal(config.User, '65532:65532');
  assert.deepEqual(config.Entrypoint, [entrypoint]);
  assert.deepEqual(config.Cmd, ['serve']);
  assert.deepEqual(config.Healthcheck.Test, ['CMD', '/usr/bin/toolgate', 'health', '--address', '127.0.0.1:50052']);
  const said = JSON.parse(execFileSync('chroot', ['--userspec=65532:65532', system, '/usr/bin/toolgate', 'version', '--json'], { encoding: 'utf8' }));
  assert.deepEqual(said, stamp);
  assert.equal(config.Labels['org.opencontainers.image.version'], said.version);
  assert.equal(config.Labels['org.opencontainers.image.revision'], said.revision);
  return Object.fromEntries(config.Env.map((line) => line.split('=')));
}

test('it says what it is and how to run it', () => {
  assert.equal(describes(image, mounted, '/usr/bin/toolgate').TOOLGATE_FILES_ROOT, '');
});

test('labels that contradict the program stop the build', { skip: process.env.TOOLGATE_COMPILE_IMAGE && 'it would compile again' }, () => {
  for (const wrong of [{ ...stamp, version: '9.8.7' }, { ...stamp, revision: 'another' }]) assert.throws(() => build('service', wrong), /the labels would say/);
});

const find = (...args) => execFileSync('find', [mounted, '-xdev', ...args], { encoding: 'utf8' }).split('\n').filter(Boolean)
  .map((path) => path.slice(mounted.length));

test('it is under 100 MB, and has no shell, no setuid file, and nothing that its user could change', () => {
  const size = Number(execFileSync('du', ['-s', '--apparent-size', '--block-size=1', mounted], { encoding: 'utf8' }).split('\t')[0]);
  console.log(`image: ${(size / 1e6).toFixed(1)} MB`);
  assert.ok(size < 100e6, `${size} bytes`);
  assert.deepEqual(find('-type', 'f', '-perm', '/111', '-path', '*/bin/*'), ['/usr/bin/toolgate']);
  assert.deepEqual(find('-perm', '/6000'), []);
  assert.deepEqual(find('-user', '65532').sort(), ['/run/toolgate', '/var/lib/toolgate']);
  assert.deepEqual(find('-perm', '-0002', '!', '-type', 'l').sort(), ['/tmp', '/var/tmp']);
});

const billOf = (system) => JSON.parse(readFileSync(join(system, 'usr/share/sbom/toolgate.cdx.json'), 'utf8'));
const linkagesOf = (bill) => (name) => bill.components.filter((one) => one.name === name).map((one) => one.properties[0].value);
// The last three are part of the launcher, a static program inside the program.
const LINKED = ['libgrpc-dev', 'libprotobuf-dev', 'libabsl-dev', 'nlohmann-json3-dev', 'libc6-dev', 'libgcc-12-dev', 'libstdc++-12-dev'];

function checkBill(bill) {
  assert.deepEqual([bill.bomFormat, bill.specVersion, bill.metadata.component.version], ['CycloneDX', '1.5', stamp.version]);
  for (const name of LINKED) assert.deepEqual(linkagesOf(bill)(name), ['static'], name);
  for (const { name, purl, version } of bill.components) {
    assert.match(purl, /^pkg:deb\/debian\/[^@]+@[^?]+\?arch=(amd64|arm64|all)&distro=debian-12$/, name);
    assert.ok(version.length > 0, name);
  }
  assert.equal(new Set(bill.components.map((one) => one['bom-ref'])).size, bill.components.length);
}

test('its bill of materials names every package, inside the program and beside it', () => {
  const bill = billOf(mounted);
  checkBill(bill);
  for (const name of ['libc6', 'libssl3', 'libsqlite3-0', 'libcurl4', 'libmicrohttpd12', 'libgumbo1', 'libxml2', 'tzdata']) {
    assert.deepEqual(linkagesOf(bill)(name), ['shared'], name);
  }
  for (const { name } of bill.components) assert.ok(find('-path', `*/usr/share/doc/${name}/copyright`).length === 1, `licence of ${name}`);
  assert.equal(readFileSync(join(mounted, 'usr/share/doc/toolgate/copyright'), 'utf8'), readFileSync(join(root, 'LICENSE'), 'utf8'));
  assert.ok(find('-path', '*/usr/share/common-licenses/LGPL-2.1').length === 1, 'Debian\'s texts refer to it');
  // Image scanners read these records; there is one for each package beside the program.
  const records = find('-path', '*/var/lib/dpkg/status.d/*').map((path) => path.split('/').at(-1)).sort();
  assert.deepEqual(records, bill.components.filter((one) => one.properties[0].value === 'shared').map((one) => one.name).sort());
});

test('it serves read-only, as its user, and its health check tells', () => {
  const script = `mount --bind ${mounted} ${mounted}
    mount -o remount,ro,bind ${mounted}
    for volume in tmp run/toolgate var/lib/toolgate; do mount -t tmpfs -o uid=65532,gid=65532,mode=0700 tmpfs ${mounted}/$volume; done
    ip link set lo up
    confined="setpriv --no-new-privs chroot --userspec=65532:65532 ${mounted}"
    in_image() { $confined /usr/bin/toolgate "$@"; }
    export TOOLGATE_CONFIG=/etc/toolgate/config.yaml TOOLGATE_FILES_ROOT= TOOLGATE_ADDRESS=unix:/run/toolgate/toolgate.sock TOOLGATE_WORKSPACE=w TOOLGATE_USER=u
    ! in_image health --address 127.0.0.1:50052 2>/dev/null
    $confined /usr/bin/toolgate serve --http-listen 127.0.0.1:8080 2>${folder}/log & pid=$!
    for _ in $(seq 100); do in_image health --address 127.0.0.1:50052 >/dev/null 2>&1 && break; sleep 0.1; done
    in_image health --address 127.0.0.1:50052 || { cat ${folder}/log; exit 1; }
    in_image call create_block '{"type": "calendar_event", "data": {"title": "Zoned", "date": "2026-03-02", "time": "09:00", "timeZone": "Europe/Berlin"}}' --json
    in_image call search_workspace '{"query": "zoned"}' --json
    curl -sS -o /dev/null -w '%{http_code} by HTTP\\n' http://127.0.0.1:8080/healthz
    ! touch ${mounted}/etc/changed 2>/dev/null
    kill -TERM $pid
    wait $pid
    echo "ended with 0"`;
  const run = spawnSync('unshare', ['--mount', '--net', '--ipc', 'bash', '-euc', script], { encoding: 'utf8' });
  assert.equal(run.status, 0, run.stdout + run.stderr);
  assert.match(run.stdout, /^serving\n/);
  assert.match(run.stdout, /Zoned/);
  assert.match(run.stdout, /^200 by HTTP$/m);
  assert.match(run.stdout, /ended with 0\n$/);
});

test('the image with a shell runs commands in the sandbox', { timeout: 900_000 }, () => {
  const id = build('shell');
  const shell = buildah('mount', buildah('from', '--pull-never', 'toolgate-shell'));
  const environment = describes(id, shell, '/usr/lib/toolgate/entrypoint');
  for (const file of ['usr/bin/bash', 'usr/bin/bwrap', 'usr/bin/ctags-universal', 'etc/ssl/certs/ca-certificates.crt']) {
    assert.ok(readFileSync(join(shell, file)).length > 0, file);
  }
  const bill = billOf(shell);
  checkBill(bill);
  for (const name of ['bash', 'bubblewrap', 'ca-certificates', 'libc6', 'libcurl4', 'libmicrohttpd12', 'universal-ctags']) {
    assert.deepEqual(linkagesOf(bill)(name), ['shared'], name);
  }
  const copyright = readFileSync(join(shell, 'usr/share/doc/toolgate/copyright'), 'utf8');
  for (const { name, properties } of bill.components) {
    if (properties[0].value === 'static') assert.ok(copyright.includes(`\n${name} `), `licence of ${name}`);
    else assert.ok(readFileSync(join(shell, 'usr/share/doc', name, 'copyright')).length > 0, `licence of ${name}`);
  }

  // Not by chroot: the kernel makes no user namespace in one.
  const call = (tool, args) => `toolgate call ${tool} '${JSON.stringify(args)}' --confirm --json`;
  const script = `
    mount -t tmpfs tmpfs /tmp
    for volume in run/toolgate var/lib/toolgate var/lib/toolgate-files; do mount -t tmpfs -o uid=65532,gid=65532,mode=0700 tmpfs /$volume; done
    mount -o remount,ro,bind /
    confined="setpriv --reuid=65532 --regid=65532 --clear-groups --bounding-set=-all --inh-caps=-all --no-new-privs"
    export ${Object.entries(environment).map(([name, value]) => `${name}=${value}`).join(' ')}
    export TOOLGATE_ADDRESS=unix:/run/toolgate/toolgate.sock TOOLGATE_WORKSPACE=w TOOLGATE_USER=u
    cd /var/lib/toolgate
    $confined /usr/lib/toolgate/entrypoint serve 2>/tmp/log & pid=$!
    for _ in $(seq 100); do toolgate health --address 127.0.0.1:50052 >/dev/null 2>&1 && break; sleep 0.1; done
    toolgate() { $confined /usr/bin/toolgate "$@"; }
    ${call('Write', { file: 'a.py', content: 'def indexed():\n  return 1\n' })}
    ${call('GraphQuery', { query: 'MATCH (s:Symbol) RETURN s.name' })}
    ${call('Bash', { command: 'echo from the sandbox >f; ls' })} || { cat /tmp/log; exit 1; }
    cat /var/lib/toolgate-files/w/f
    kill -TERM $pid
    wait $pid`;
  const run = pivotInto(shell, script);
  assert.equal(run.status, 0, run.stdout + run.stderr);
  assert.match(run.stdout, /"indexed"/);
  assert.match(run.stdout, /a.py\\nf\\n/);
  assert.match(run.stdout, /from the sandbox\n$/);
});
