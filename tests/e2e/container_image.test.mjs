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
import { baseSystem } from './bare_debian.mjs';
import { root } from './prometheus.mjs';
import { binary } from './server.mjs';

const folder = mkdtempSync(join(tmpdir(), 'toolgate-image-'));
const context = join(folder, 'context');
const storage = ['--root', join(folder, 'storage'), '--runroot', join(folder, 'run'), '--storage-driver', process.env.STORAGE_DRIVER ?? 'overlay'];
const REVISION = '0123456789abcdef0123456789abcdef01234567';
const buildah = (...args) =>
  execFileSync('buildah', [...storage, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 1 << 26 }).trim();
let image, mounted;

// The files that git knows, in a folder of their own.
function copySources() {
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root, encoding: 'utf8' });
  for (const file of files.split('\0').filter(Boolean)) cpSync(join(root, file), join(context, file), { recursive: true });
}

function build(target) {
  const dockerfile = readFileSync(join(root, 'deploy/Dockerfile'), 'utf8');
  const compiling = 'RUN deploy/image/build.sh /out';
  assert.ok(dockerfile.includes(compiling));
  writeFileSync(join(folder, 'Dockerfile'), process.env.TOOLGATE_COMPILE_IMAGE ? dockerfile
    : dockerfile.replace(compiling, 'COPY deploy/built /out'));
  return buildah('bud', '--isolation', 'chroot', '--pull-never', '--layers', '--format', 'docker', '--quiet', '--target', target,
    '--build-arg', 'VERSION=9.8.7', '--build-arg', `REVISION=${REVISION}`, '-f', join(folder, 'Dockerfile'), '-t', `toolgate-${target}`, context);
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

test('it says what it is and how to run it', () => {
  const { Docker: { config } } = JSON.parse(buildah('inspect', '--type', 'image', image));
  assert.equal(config.User, '65532:65532');
  assert.deepEqual(config.Entrypoint, ['/usr/bin/toolgate']);
  assert.deepEqual(config.Cmd, ['serve']);
  assert.deepEqual(config.Healthcheck.Test, ['CMD', '/usr/bin/toolgate', 'health', '--address', '127.0.0.1:50052']);
  assert.equal(config.Labels['org.opencontainers.image.version'], '9.8.7');
  assert.equal(config.Labels['org.opencontainers.image.revision'], REVISION);
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

test('its bill of materials names every package, inside the program and beside it', () => {
  const bill = JSON.parse(readFileSync(join(mounted, 'usr/share/sbom/toolgate.cdx.json'), 'utf8'));
  assert.deepEqual([bill.bomFormat, bill.specVersion, bill.metadata.component.version], ['CycloneDX', '1.5', '9.8.7']);
  const linkage = (name) => bill.components.filter((one) => one.name === name).map((one) => one.properties[0].value);
  for (const name of ['libgrpc-dev', 'libprotobuf-dev', 'libabsl-dev', 'nlohmann-json3-dev']) assert.deepEqual(linkage(name), ['static'], name);
  for (const name of ['libc6', 'libssl3', 'libsqlite3-0', 'libcurl4', 'tzdata']) assert.deepEqual(linkage(name), ['shared'], name);
  for (const { name, purl, version } of bill.components) {
    assert.match(purl, /^pkg:deb\/debian\/[^@]+@[^?]+\?arch=(amd64|arm64|all)&distro=debian-12$/, name);
    assert.ok(version.length > 0, name);
    assert.ok(find('-path', `*/usr/share/doc/${name}/copyright`).length === 1, `licence of ${name}`);
  }
  assert.equal(new Set(bill.components.map((one) => one['bom-ref'])).size, bill.components.length);
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
    export TOOLGATE_CONFIG=/etc/toolgate/config.yaml TOOLGATE_ADDRESS=unix:/run/toolgate/toolgate.sock TOOLGATE_WORKSPACE=w TOOLGATE_USER=u
    ! in_image health --address 127.0.0.1:50052 2>/dev/null
    $confined /usr/bin/toolgate serve 2>${folder}/log & pid=$!
    for _ in $(seq 100); do in_image health --address 127.0.0.1:50052 >/dev/null 2>&1 && break; sleep 0.1; done
    in_image health --address 127.0.0.1:50052 || { cat ${folder}/log; exit 1; }
    in_image call create_block '{"type": "calendar_event", "data": {"title": "Zoned", "date": "2026-03-02", "time": "09:00", "timeZone": "Europe/Berlin"}}' --json
    in_image call search_workspace '{"query": "zoned"}' --json
    ! touch ${mounted}/etc/changed 2>/dev/null
    kill -TERM $pid
    wait $pid
    echo "ended with 0"`;
  const run = spawnSync('unshare', ['--mount', '--net', '--ipc', 'bash', '-euc', script], { encoding: 'utf8' });
  assert.equal(run.status, 0, run.stdout + run.stderr);
  assert.match(run.stdout, /^serving\n/);
  assert.match(run.stdout, /Zoned/);
  assert.match(run.stdout, /ended with 0\n$/);
});

test('the image with a shell builds too, and has the sandbox', { timeout: 900_000 }, () => {
  build('shell');
  const shell = buildah('mount', buildah('from', '--pull-never', 'toolgate-shell'));
  for (const file of ['usr/bin/bash', 'usr/bin/bwrap', 'usr/bin/toolgate', 'etc/toolgate/config.yaml']) {
    assert.ok(readFileSync(join(shell, file)).length > 0, file);
  }
  assert.match(execFileSync('chroot', ['--userspec=65532:65532', shell, '/usr/bin/toolgate', 'version'], { encoding: 'utf8' }), /^toolgate \d/);
});
