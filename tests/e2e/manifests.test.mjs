// The Kubernetes manifests and the compose file against the published schemas, with unknown keys refused, and what no
// schema knows: that time-outs fit, that ports and volumes meet, that the configurations are valid.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { parseAllDocuments, parse } from 'yaml';
import { composeProblems, manifestProblems } from './schemas.mjs';
import { root } from './prometheus.mjs';
import { binary } from './server.mjs';

const kustomize = join(root, 'deploy/kustomize');
const read = (...path) => readFileSync(join(root, 'deploy', ...path), 'utf8');
const documents = (text) => parseAllDocuments(text).map((document) => {
  assert.deepEqual([...document.errors, ...document.warnings], []);
  return document.toJS();
});
const OVERLAYS = ['sidecar', 'standalone'];
const filesOf = (...path) => readdirSync(join(kustomize, ...path)).filter((name) => name.endsWith('.yaml') && name !== 'config.yaml');
const onlyDocument = (...path) => documents(read('kustomize', ...path))[0];
const spec = (overlay) => onlyDocument('overlays', overlay, overlay === 'sidecar' ? 'deployment.yaml' : 'statefulset.yaml').spec;
const podOf = (overlay) => spec(overlay).template.spec;
const toolgateOf = (overlay) => [...podOf(overlay).initContainers ?? [], ...podOf(overlay).containers]
  .find((container) => container.name === 'toolgate');
const configOf = (overlay) => parse(read('kustomize', 'overlays', overlay, 'config.yaml'));
const filesRoot = (value) => ({ name: 'TOOLGATE_FILES_ROOT', value });
const seconds = (text) => Number(/^(\d+)s$/.exec(text)[1]);

test('every manifest follows its schema, without unknown keys', async () => {
  let checked = 0;
  for (const folder of [['base'], ...OVERLAYS.map((name) => ['overlays', name])]) {
    for (const file of filesOf(...folder).filter((name) => name !== 'kustomization.yaml')) {
      for (const manifest of documents(read('kustomize', ...folder, file))) {
        assert.deepEqual(await manifestProblems(manifest), [], `${folder.join('/')}/${file}`);
        ++checked;
      }
    }
  }
  assert.ok(checked >= 10, `${checked} manifests`);
});

test('patches are parts of what they patch', async () => {
  for (const file of filesOf('components', 'bash').filter((name) => name !== 'kustomization.yaml')) {
    assert.deepEqual(await manifestProblems(onlyDocument('components', 'bash', file), { partial: true }), [], file);
  }
});

test('the check finds misspelt, misplaced and missing keys', async () => {
  const broken = (change) => {
    const manifest = onlyDocument('overlays', 'standalone', 'statefulset.yaml');
    change(manifest.spec);
    return manifestProblems(manifest);
  };
  assert.deepEqual(await broken(() => {}), []);
  assert.match((await broken((it) => { it.template.spec.containers[0].readinessprobe = {}; }))[0], /readinessprobe/);
  assert.match((await broken((it) => { it.template.spec.containers[0].securityContext.runAsNonroot = true; }))[0], /runAsNonroot/);
  assert.match((await broken((it) => { it.template.spec.containers[0].fsGroup = 1; }))[0], /fsGroup/);
  assert.match((await broken((it) => { it.replicas = 'one'; }))[0], /replicas/);
  assert.match((await broken((it) => { delete it.selector; }))[0], /selector/);
});

// kubectl has kustomize built in. Where it is missing, the files alone are checked.
const kubectl = spawnSync('kubectl', ['kustomize', '--help']).status === 0;
function render(folder) {
  const run = spawnSync('kubectl', ['kustomize', folder], { encoding: 'utf8' });
  assert.equal(run.status, 0, run.stderr);
  return documents(run.stdout);
}

test('the overlays render, and the results follow the schemas', { skip: !kubectl && 'no kubectl' }, async () => {
  for (const overlay of OVERLAYS) {
    const rendered = render(join(kustomize, 'overlays', overlay));
    for (const manifest of rendered) {
      assert.deepEqual(await manifestProblems(manifest), [], `${overlay}: ${manifest.kind}`);
      if (manifest.kind !== 'Namespace') assert.equal(manifest.metadata.namespace, 'toolgate', manifest.kind);
    }
    const workload = rendered.find(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet');
    const config = rendered.find(({ kind }) => kind === 'ConfigMap');
    const mounted = workload.spec.template.spec.volumes.find(({ name }) => name === 'config').configMap.name;
    assert.equal(mounted, config.metadata.name);
    assert.match(mounted, /^toolgate-config-\w{10}$/, 'its hash restarts the pods when it changes');
    assert.equal(config.data['config.yaml'], read('kustomize', 'overlays', overlay, 'config.yaml'));
  }
});

test('the component for Bash gives both overlays a shell and a user namespace', { skip: !kubectl && 'no kubectl' }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'toolgate-kustomize-'));
  t.after(() => rmSync(folder, { recursive: true }));
  spawnSync('cp', ['-r', kustomize, folder]);
  for (const overlay of OVERLAYS) {
    const file = join(folder, 'kustomize/overlays', overlay, 'kustomization.yaml');
    writeFileSync(file, `${readFileSync(file, 'utf8')}components:\n  - ../../components/bash\n`);
    const rendered = render(join(folder, 'kustomize/overlays', overlay));
    for (const manifest of rendered) assert.deepEqual(await manifestProblems(manifest), [], manifest.kind);
    const pod = rendered.find(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet').spec.template.spec;
    const container = [...pod.initContainers ?? [], ...pod.containers].find(({ name }) => name === 'toolgate');
    assert.equal(pod.hostUsers, false);
    assert.match(container.image, /^toolgate-shell:/);
    assert.equal(container.securityContext.procMount, 'Unmasked');
    assert.equal(container.securityContext.readOnlyRootFilesystem, true);
    assert.deepEqual(container.env, [filesRoot('/var/lib/toolgate-files')]);
    assert.equal(container.resources.limits.memory, '3Gi');
    assert.equal(container.ports.length, toolgateOf(overlay).ports.length);
  }
});

test('files have a place beside the data with the component for Bash, and none without', () => {
  for (const overlay of OVERLAYS) {
    const { files, storage } = configOf(overlay);
    assert.equal(files.root, `\${${filesRoot('').name}}`);
    assert.deepEqual(toolgateOf(overlay).env, [filesRoot('')]);
    const patch = onlyDocument('components', 'bash', overlay === 'sidecar' ? 'sidecar.yaml' : 'service.yaml').spec.template.spec;
    const [{ env }] = patch.initContainers ?? patch.containers;
    assert.deepEqual(env, [filesRoot(`${storage.data_dir}-files`)]);
  }
  const dockerfile = read('Dockerfile');
  assert.match(dockerfile, /AS shell[^]*TOOLGATE_FILES_ROOT=\/var\/lib\/toolgate-files\n[^]*AS service[^]*TOOLGATE_FILES_ROOT=\n/);
});

test('the component and the security model list the same system calls', () => {
  const component = read('kustomize/components/bash/kustomization.yaml').match(/^#   and in it allowed without a capability: (.*);$/m)[1];
  const model = readFileSync(join(root, 'SECURITY.md'), 'utf8').match(/^\| the system calls (.*?) \|/m)[1];
  assert.deepEqual([...model.matchAll(/`(\w+)`/g)].map((match) => match[1]), component.split(', '));
});

test('pods satisfy the restricted Pod Security Standard, on a read-only root', () => {
  for (const overlay of OVERLAYS) {
    const pod = podOf(overlay);
    assert.equal(pod.securityContext.runAsNonRoot, true);
    assert.equal(pod.securityContext.runAsUser, 65532);
    assert.equal(pod.securityContext.seccompProfile.type, 'RuntimeDefault');
    assert.equal(pod.automountServiceAccountToken, false);
    for (const { name, securityContext } of [...pod.initContainers ?? [], ...pod.containers]) {
      assert.deepEqual(securityContext, { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } }, name);
    }
  }
});

test('what listens is what is probed, scraped and mounted', () => {
  for (const overlay of OVERLAYS) {
    const { server, storage } = configOf(overlay);
    const container = toolgateOf(overlay);
    const ports = Object.fromEntries(container.ports.map(({ name, containerPort }) => [name, containerPort]));
    assert.equal(server.health_listen, `0.0.0.0:${ports.health}`);
    assert.equal(server.metrics_listen, `0.0.0.0:${ports.metrics}`);
    assert.equal(spec(overlay).template.metadata.annotations['prometheus.io/port'], String(ports.metrics));
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe']) assert.equal(container[probe].grpc.port, ports.health, probe);
    assert.equal(container.livenessProbe.grpc.service, undefined, 'liveness');
    assert.equal(container.readinessProbe.grpc.service, 'toolgate.v1.ToolService');
    const mounts = container.volumeMounts.map(({ mountPath }) => mountPath);
    assert.ok(mounts.includes(storage.data_dir) && mounts.includes('/tmp') && mounts.includes('/etc/toolgate/config.yaml'));
  }
  const { server } = configOf('standalone');
  assert.equal(server.listen, `0.0.0.0:${toolgateOf('standalone').ports.find(({ name }) => name === 'grpc').containerPort}`);
});

test('network policies name ports as the pods have them', () => {
  for (const overlay of OVERLAYS) {
    // Not every network plugin looks for names among init containers.
    const named = podOf(overlay).containers.flatMap(({ ports }) => ports ?? []).map(({ name }) => name);
    const numbered = toolgateOf(overlay).ports.map(({ containerPort }) => containerPort);
    for (const { ports } of onlyDocument('overlays', overlay, 'network-policy.yaml').spec.ingress) {
      for (const { port } of ports) assert.ok((typeof port === 'string' ? named : numbered).includes(port), `${overlay}: ${port}`);
    }
  }
});

test('the alert on memory comes before the limits', () => {
  const rule = parse(read('prometheus/alerts.yaml')).groups.flatMap(({ rules }) => rules).find(({ alert }) => alert === 'ToolgateMemory');
  assert.match(rule.expr, /> 400 \* 1024 \* 1024$/);
  for (const overlay of OVERLAYS) assert.equal(toolgateOf(overlay).resources.limits.memory, '512Mi', overlay);
  assert.equal(parse(read('compose/compose.yaml')).services.toolgate.mem_limit, '512m');
  assert.match(readFileSync(join(root, 'docs/runbook.md'), 'utf8'), /more than 400 MiB of its own for 15 minutes; the manifests allow 512 MiB/);
});

test('the sidecar is native, and shares its socket with the backend alone', () => {
  const pod = podOf('sidecar');
  const [sidecar] = pod.initContainers;
  assert.equal(sidecar.restartPolicy, 'Always');
  const address = configOf('sidecar').server.listen;
  const [backend] = pod.containers;
  assert.equal(backend.env.find(({ name }) => name === 'TOOLGATE_ADDRESS').value, address);
  for (const { volumeMounts } of [sidecar, backend]) {
    assert.equal(volumeMounts.find(({ name }) => name === 'socket').mountPath, resolve(address.slice('unix:'.length), '..'));
  }
  assert.ok(pod.volumes.find(({ name }) => name === 'socket').emptyDir);
  assert.equal(backend.volumeMounts.some(({ name }) => name === 'data'), false);
});

test('a drain fits into the grace period', () => {
  for (const overlay of OVERLAYS) {
    const pod = podOf(overlay);
    const before = Math.max(...pod.containers.map(({ lifecycle }) => lifecycle?.preStop?.sleep?.seconds ?? 0));
    assert.ok(before > 0, 'calls still arrive for a moment');
    const drain = seconds(configOf(overlay).server.drain_timeout);
    assert.ok(pod.terminationGracePeriodSeconds >= before + drain + 10, overlay);
  }
  assert.ok(seconds(read('systemd/toolgate.service').match(/^TimeoutStopSec=(.*)$/m)[1]) >= 10 + 10);
  assert.ok(seconds(parse(read('compose/compose.yaml')).services.toolgate.stop_grace_period) >= 10 + 10);
});

test('only pods with a store of their own are scaled', () => {
  assert.equal(spec('standalone').replicas, 1);
  assert.deepEqual(spec('standalone').volumeClaimTemplates[0].spec.accessModes, ['ReadWriteOncePod']);
  assert.ok(!filesOf('overlays', 'standalone').includes('autoscaler.yaml'));
  assert.equal(onlyDocument('overlays', 'sidecar', 'autoscaler.yaml').spec.scaleTargetRef.name, 'agent');
  assert.equal(spec('sidecar').replicas, undefined, 'the autoscaler decides');
  for (const overlay of OVERLAYS) {
    const budget = onlyDocument('overlays', overlay, 'disruption-budget.yaml').spec;
    assert.equal(budget.maxUnavailable, 1);
    const policy = onlyDocument('overlays', overlay, 'network-policy.yaml').spec;
    assert.deepEqual(policy.policyTypes, ['Ingress', 'Egress']);
    for (const { matchLabels } of [budget.selector, policy.podSelector]) {
      const { labels } = spec(overlay).template.metadata;
      for (const [name, value] of Object.entries(matchLabels)) assert.equal(labels[name], value);
    }
  }
});

test('toolgate accepts every configuration here', () => {
  for (const file of ['image/config.yaml', 'debian/config.yaml', ...OVERLAYS.map((name) => `kustomize/overlays/${name}/config.yaml`)]) {
    for (const filesRoot of ['', '/var/lib/toolgate-files']) {
      const run = spawnSync(resolve(binary), ['check', '--without-files', '--config', join(root, 'deploy', file)],
        { encoding: 'utf8', env: { ...process.env, TOOLGATE_FILES_ROOT: filesRoot } });
      assert.equal(run.status, 0, run.stdout + run.stderr);
    }
  }
});

// Whether the patterns of a .dockerignore file let a path through: the last one that fits it, or a folder above it,
// decides.
function letsThrough(patterns, path) {
  const names = path.split('/');
  const paths = names.map((_, index) => names.slice(0, index + 1).join('/'));
  let through = true;
  for (const line of patterns) {
    const pattern = line.replace(/^!/, '');
    const expression = new RegExp(`^${pattern.replace(/[.+^$()|{}]/g, '\\$&').replaceAll('**/', '\0').replaceAll('*', '[^/]*').replaceAll('\0', '(.*/)?')}$`);
    if (paths.some((one) => expression.test(one))) through = line.startsWith('!');
  }
  return through;
}

const byCMake = existsSync(resolve(binary, '../CMakeCache.txt'));

test('.dockerignore lets through what the image is built from, and no tests', { skip: !byCMake && 'only CMake tells what it builds from' }, () => {
  const patterns = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n').filter((line) => line && !line.startsWith('#'));
  const build = resolve(binary, '..');
  const ninja = (...args) => spawnSync('ninja', ['-C', build, '-t', ...args], { encoding: 'utf8', maxBuffer: 1 << 28 }).stdout.split('\n');
  const tracked = new Set(spawnSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 }).stdout.split('\0'));
  const cached = (name) => readFileSync(join(build, 'CMakeCache.txt'), 'utf8').match(new RegExp(`^${name}:INTERNAL=(.*)$`, 'm'))[1];
  const [sources, folder] = [cached('CMAKE_HOME_DIRECTORY'), cached('CMAKE_CACHEFILE_DIR')];
  // Sources from the build's rules, headers as the compiler saw them, and what the files of CMake and the packaging name.
  const written = [...ninja('inputs', 'build.ninja'), ...ninja('inputs', 'toolgate'), ...ninja('deps')].map((line) => resolve(folder, line.trim()))
    .filter((path) => path.startsWith(`${sources}/`)).map((path) => path.slice(sources.length + 1));
  const needed = [...new Set([...written, ...[...tracked].filter((path) => path.startsWith('deploy/')), 'CMakePresets.json', 'LICENSE',
    'README.md', 'SECURITY.md', 'docs/secured.yaml'])].filter((path) => tracked.has(path) && !path.startsWith('tests/'));
  assert.ok(needed.length > 500, `${needed.length} files`);
  assert.deepEqual(needed.filter((path) => !letsThrough(patterns, path)), []);
  assert.deepEqual([...tracked].filter((path) => path.startsWith('tests/') && letsThrough(patterns, path)), []);
  for (const path of ['.git/config', 'build/release/toolgate', 'docs/node_modules/x/index.js']) assert.ok(!letsThrough(patterns, path), path);
  assert.ok(!letsThrough(patterns.filter((line) => line !== '!cli'), 'cli/main.cc'), 'a missing folder shows');
});

test('the compose file follows its schema, without unknown keys', () => {
  const compose = parse(read('compose/compose.yaml'));
  assert.deepEqual(composeProblems(compose), []);
  const misspelt = structuredClone(compose);
  misspelt.services.toolgate.readonly = true;
  assert.match(composeProblems(misspelt)[0], /readonly/);
});

test('the compose file publishes on the loopback only, and mounts what is there', () => {
  const { services, volumes } = parse(read('compose/compose.yaml'));
  for (const [name, service] of Object.entries(services)) {
    for (const port of service.ports ?? []) assert.match(port, /^127\.0\.0\.1:/, name);
    for (const volume of service.volumes ?? []) {
      const [source] = volume.split(':');
      if (source.startsWith('.')) assert.ok(readdirSync(join(root, 'deploy/compose', source, '..')).length > 0, volume);
      else assert.ok(source in volumes, volume);
    }
  }
  assert.equal(parse(read('compose/prometheus.yaml')).scrape_configs[0].static_configs[0].targets[0], 'toolgate:9464');
  assert.equal(parse(read('compose/grafana-dashboards.yaml')).providers[0].options.path, '/var/lib/grafana/dashboards');
});
