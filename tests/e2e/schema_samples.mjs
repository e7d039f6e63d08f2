// Random values of the JSON Schemas that tools have: the same ones in every run.

// A generator of numbers from 0 to 1 (mulberry32), begun with a text.
function randomFrom(text) {
  let state = [...text].reduce((hash, c) => Math.imul(hash ^ c.codePointAt(0), 16777619), 2166136261);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const LETTERS = ['a', 'B', '7', ' ', '-', '/', '"', '\\', 'é', '日', '\n'];
const FORMATS = { date: '2026-03-02', 'date-time': '2026-03-02T09:00:00Z', email: 'a@b.example',
  uri: 'https://a.example/', uuid: '00000000-0000-4000-8000-000000000000' };

function sample(schema, random) {
  const below = (bound) => Math.floor(random() * bound);
  const oneOf = (list) => list[below(list.length)];
  if (schema.enum !== undefined) return oneOf(schema.enum);
  if (schema.const !== undefined) return schema.const;
  if (schema.anyOf !== undefined) return sample(oneOf(schema.anyOf), random);
  const between = (least, most) => least + below(most - least + 1);
  const type = Array.isArray(schema.type) ? oneOf(schema.type) : schema.type;
  switch (type) {
    case 'null':
      return null;
    case 'boolean':
      return random() < 0.5;
    case 'integer':
    case 'number': {
      const least = schema.minimum ?? (schema.exclusiveMinimum ?? -11) + 1;
      const most = schema.maximum ?? (schema.exclusiveMaximum ?? least + 101) - 1;
      const whole = between(Math.ceil(least), Math.floor(most));
      return type !== 'integer' && schema.multipleOf === undefined && whole < most && random() < 0.3
        ? whole + 0.5 : whole;
    }
    case 'string': {
      if (schema.format !== undefined) return FORMATS[schema.format] ?? 'text';
      const least = schema.minLength ?? 0;
      return Array.from({ length: between(least, Math.min(schema.maxLength ?? 12, least + 12)) }, () => oneOf(LETTERS)).join('');
    }
    case 'array': {
      const least = schema.minItems ?? 0;
      const length = between(least, Math.min(schema.maxItems ?? 3, least + 3));
      return Array.from({ length }, () => sample(schema.items, random));
    }
    default:
      return Object.fromEntries(Object.entries(schema.properties ?? {})
        .filter(([name]) => (schema.required ?? []).includes(name) || random() < 0.5)
        .map(([name, property]) => [name, sample(property, random)]));
  }
}

// `count` values of `schema`, which `name` chooses.
export function* samplesOf(schema, count, name) {
  const random = randomFrom(name);
  for (let i = 0; i < count; ++i) yield sample(schema, random);
}

const isObject = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);

// `value` with null for every property of `schema` that it lacks.
export function withNulls(value, schema) {
  if (Array.isArray(value)) return value.map((item) => withNulls(item, schema.items ?? {}));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, property]) =>
    [name, name in value ? withNulls(value[name], property) : null]));
}

// `value` without the nulls of properties that `schema` does not require.
export function withoutNulls(value, schema) {
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item, schema.items ?? {}));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value)
    .filter(([name, member]) => member !== null || (schema.required ?? []).includes(name))
    .map(([name, member]) => [name, withoutNulls(member, schema.properties?.[name] ?? {})]));
}
