// Stubs from the API's .proto files, by the generators of other languages, with no option but the output folder. A
// generator or compiler that is not installed is skipped, and the report names it. Compilers take minutes, so they run
// only with TOOLGATE_COMPILE_STUBS=1 (`./dev deploy`).
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, relative } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const protos = join(here, '../../proto');
const modules = join(here, 'node_modules');
const work = mkdtempSync(join(tmpdir(), 'toolgate-stubs-'));
after(() => rmSync(work, { recursive: true, force: true }));

const compiles = process.env.TOOLGATE_COMPILE_STUBS === '1';
const api = readdirSync(join(protos, 'toolgate/v1')).filter((name) => name.endsWith('.proto'));
const services = ['Admin', 'Audit', 'Chat', 'Data', 'Instruction', 'Tool'].map((name) => `${name}Service`);

// Debian names some plugins otherwise than protoc looks for them.
const plugins = join(work, 'plugins');
mkdirSync(plugins);
const environment = { ...process.env, PATH: [plugins, join(modules, '.bin'), process.env.PATH].join(delimiter) };
const find = (program) =>
  environment.PATH.split(delimiter).map((folder) => join(folder, program)).find((path) => existsSync(path));
for (const [language, program] of [['grpc_python', 'grpc_python_plugin'], ['grpc-java', 'grpc_java_plugin'],
  ['grpc-csharp', 'grpc_csharp_plugin']]) {
  if (find(program)) symlinkSync(find(program), join(plugins, `protoc-gen-${language}`));
}

function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}

function run(program, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8', env: environment, ...options });
  assert.equal(status, 0, `${program} ${args.join(' ')}: ${error ?? ''}${stdout}${stderr}`);
  return stdout;
}

// The folder with what `generators` make of the API, each as `--NAME_out=FOLDER` alone.
function generate(language, generators) {
  const folder = join(work, language);
  mkdirSync(folder);
  run('protoc', ['-I', protos, ...generators.map((name) => `--${name}_out=${folder}`),
    ...api.map((name) => `toolgate/v1/${name}`)]);
  return folder;
}

const namesIn = (folder) => filesBelow(folder).map((path) => relative(folder, path));
const missing = (...programs) => {
  const absent = programs.filter((program) => !find(program));
  return absent.length > 0 ? `not tried: ${absent.join(', ')} not installed` : false;
};
const notCompiled = (...needs) => {
  if (!compiles) return 'not compiled: TOOLGATE_COMPILE_STUBS is not 1';
  const absent = needs.filter((path) => !(path.startsWith('/') ? existsSync(path) : find(path)));
  return absent.length > 0 ? `not compiled: ${absent.join(', ')} not installed` : false;
};

test('every .proto file names its package for Go, Java and C#', () => {
  const all = filesBelow(join(protos, 'toolgate')).filter((path) => path.endsWith('.proto'));
  assert.ok(all.length > api.length);
  for (const path of all) {
    const text = readFileSync(path, 'utf8');
    const name = /^package ([a-z0-9_.]+);$/m.exec(text)[1];
    const folder = name.replaceAll('.', '/');
    assert.match(text, new RegExp(`^option go_package = "toolgate\\.dev/gen/go/${folder};[a-z0-9]+";$`, 'm'), path);
    assert.match(text, new RegExp(`^option java_package = "dev\\.${name.replaceAll('.', '\\.')}";$`, 'm'), path);
    assert.match(text, /^option java_multiple_files = true;$/m, path);
    const namespace = name.split('.').map((word) => word[0].toUpperCase() + word.slice(1)).join('.');
    assert.ok(text.includes(`option csharp_namespace = "${namespace}";`), `${path}: ${namespace}`);
  }
});

test('Python', { skip: missing('grpc_python_plugin') }, async (t) => {
  const folder = generate('python', ['python', 'grpc_python']);
  const python = '/usr/bin/python3';
  const runtime = spawnSync(python, ['-c', 'import grpc'], { encoding: 'utf8' });
  const skip = runtime.status !== 0 && 'not imported: python3-grpcio not installed';
  await t.test('is imported, and has every service', { skip }, () => {
    const program = [
      'import importlib',
      'from toolgate.v1 import tool_service_pb2 as api',
      `for name in ${JSON.stringify(services)}:`,
      '    snake = "".join("_" + c.lower() if c.isupper() else c for c in name)[1:]',
      '    module = importlib.import_module("toolgate.v1." + snake + "_pb2_grpc")',
      '    assert hasattr(module, name + "Stub"), name',
      'request = api.ExecuteRequest(tool_id="get_block", refusals=api.REFUSAL_FORM_RESULT)',
      'assert api.ExecuteRequest.FromString(request.SerializeToString()) == request',
    ].join('\n');
    run(python, ['-c', program], { cwd: folder, env: { ...environment, PYTHONDONTWRITEBYTECODE: '1', PYTHONPATH: folder } });
  });
});

test('Go', { skip: missing('protoc-gen-go', 'protoc-gen-go-grpc') }, async (t) => {
  const folder = generate('go', ['go', 'go-grpc']);
  const names = namesIn(folder);
  assert.ok(names.includes('toolgate.dev/gen/go/toolgate/v1/tool_service.pb.go'), names.join());
  assert.ok(names.includes('toolgate.dev/gen/go/toolgate/v1/tool_service_grpc.pb.go'), names.join());
  await t.test('is compiled', { skip: notCompiled('go', '/usr/share/gocode/src/google.golang.org/grpc') }, () => {
    const path = join(work, 'gopath');
    mkdirSync(join(path, 'src'), { recursive: true });
    symlinkSync(join(folder, 'toolgate.dev'), join(path, 'src/toolgate.dev'));
    run('go', ['vet', 'toolgate.dev/gen/go/toolgate/v1'], {
      env: { ...environment, GOPATH: `${path}:/usr/share/gocode`, GO111MODULE: 'off', GOFLAGS: '-p=1',
        GOCACHE: join(work, 'gocache') },
    });
  });
});

test('Java', { skip: missing('grpc_java_plugin') }, async (t) => {
  const folder = generate('java', ['java', 'grpc-java']);
  const names = namesIn(folder);
  for (const name of ['ExecuteRequest', 'RefusalForm', ...services.map((service) => `${service}Grpc`)]) {
    assert.ok(names.includes(`dev/toolgate/v1/${name}.java`), name);
  }
  const jars = ['protobuf', 'grpc-api', 'grpc-stub', 'grpc-protobuf', 'guava', 'geronimo-annotation-1.3-spec']
    .map((name) => `/usr/share/java/${name}.jar`);
  await t.test('is compiled', { skip: notCompiled('javac', ...jars) }, () => {
    const sources = join(work, 'sources');
    writeFileSync(sources, names.map((name) => join(folder, name)).join('\n'));
    run('javac', ['-nowarn', '-d', join(work, 'classes'), '-cp', jars.join(':'), `@${sources}`]);
  });
});

test('C#: messages', () => {
  const folder = generate('csharp', ['csharp']);
  const names = namesIn(folder);
  assert.ok(names.includes('ToolService.cs'), names.join());
  for (const name of names) {
    assert.match(readFileSync(join(folder, name), 'utf8'), /^namespace Toolgate\.V1 \{$/m, name);
  }
});

test('C#: services', { skip: missing('grpc_csharp_plugin') }, () => {
  const names = namesIn(generate('csharp_services', ['csharp', 'grpc-csharp']));
  assert.ok(names.includes('ToolServiceGrpc.cs'), names.join());
});

test('TypeScript', { skip: missing('protoc-gen-es') }, () => {
  const folder = generate('typescript', ['es']);
  assert.ok(namesIn(folder).includes('toolgate/v1/tool_service_pb.d.ts'));
  symlinkSync(modules, join(folder, 'node_modules'));
  writeFileSync(join(folder, 'client.ts'), `
import { create, toBinary, fromBinary } from '@bufbuild/protobuf';
import { ExecuteRequestSchema, RefusalForm, ToolService } from './toolgate/v1/tool_service_pb';
const request = create(ExecuteRequestSchema, { toolId: 'get_block', refusals: RefusalForm.RESULT });
const again: string = fromBinary(ExecuteRequestSchema, toBinary(ExecuteRequestSchema, request)).toolId;
export const name: string = ToolService.method.waitConfirmation.name + again;
`);
  const compilerOptions = { noEmit: true, strict: true, target: 'es2020', module: 'esnext',
    moduleResolution: 'bundler', preserveSymlinks: true, types: [] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['client.ts'] }));
  run('tsc', ['-p', '.'], { cwd: folder });
});

test('JavaScript without generated code', () => {
  const program = `
    const { loadSync } = require('@grpc/proto-loader');
    const { loadPackageDefinition } = require('@grpc/grpc-js');
    const api = loadPackageDefinition(loadSync('toolgate/v1/tool_service.proto', { includeDirs: [process.argv[1]] }));
    if (!api.toolgate.v1.ToolService.service.WaitConfirmation) throw new Error('no such method');`;
  execFileSync(process.execPath, ['-e', program, protos], { cwd: here });
});
