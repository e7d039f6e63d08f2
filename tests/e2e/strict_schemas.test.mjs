// The strict schemas of the catalogue: accepted by the providers' SDKs as they are, and true to the tools' own schemas.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { transformJSONSchema } from '@anthropic-ai/sdk/lib/transform-json-schema';
import Ajv from 'ajv/dist/2020.js';
import { toStrictJsonSchema } from 'openai/lib/transform';
import { call, connect } from './client.mjs';
import { samplesOf, withNulls, withoutNulls } from './schema_samples.mjs';
import { serve } from './server.mjs';

const SAMPLES = 200;  // Of each schema.

// Take free-form data, by which no strict schema can be true to them.
const OPEN = ['GraphQuery', 'add_property', 'create_block', 'query_database', 'trigger_automation', 'update_block'];
// Give null a meaning of its own: it removes what was there. OpenAI's strict mode has no other word for "left out".
const NULL_REMOVES = ['kanban_update_card', 'notes_update'];
// Bounds that a strict schema can say only in its descriptions.
const LOOSE = {
  OPENAI: ['minLength', 'maxLength', 'pattern', 'format', 'uniqueItems', 'minProperties', 'maxProperties'],
  ANTHROPIC: ['minLength', 'maxLength', 'pattern', 'format', 'uniqueItems', 'minProperties', 'maxProperties', 'minimum',
    'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minItems', 'maxItems'],
};

const ajv = new Ajv({ strict: true, strictTypes: false, strictRequired: false, allErrors: true, validateFormats: false,
  allowUnionTypes: true });
const caller = { workspace_id: 'strict', user_id: 'ada' };
let server, gate;
let tools = [];  // {id, own, OPENAI, ANTHROPIC}: the schemas; a strict one is undefined where there is none.

before(async () => {
  server = await serve([]);
  gate = await connect(server.address, 'toolgate.v1.ToolService');
  // One tool a page: each page of Anthropic's form has room for so many strict tools only.
  const rendered = {};
  for (const format of ['OPENAI', 'OPENAI_RESPONSES', 'ANTHROPIC']) {
    rendered[format] = [];
    for (let page_token = ''; ;) {
      const page = await call(gate, 'ListTools',
        { caller, page_size: 1, page_token, format: `CATALOG_FORMAT_${format}` });
      rendered[format].push(...JSON.parse(page.rendered_json));
      if (format === 'OPENAI') tools.push({ id: page.tools[0].id, own: JSON.parse(page.tools[0].argument_schema_json) });
      page_token = page.next_page_token;
      if (page_token === '') break;
    }
  }
  tools = tools.map((tool, i) => {
    const { function: chat } = rendered.OPENAI[i];
    const anthropic = rendered.ANTHROPIC[i];
    return { ...tool, chat, responses: rendered.OPENAI_RESPONSES[i], anthropic,
      OPENAI: chat.strict ? chat.parameters : undefined,
      ANTHROPIC: anthropic.strict ? anthropic.input_schema : undefined };
  });
});
after(async () => {
  gate?.close();
  assert.equal(await server.stop(), 0);
});

test('tools are strict unless they take free-form data, or nulls with a meaning', () => {
  assert.ok(tools.length >= 37);
  const looseIn = (dialect) => tools.filter((tool) => tool[dialect] === undefined).map(({ id }) => id);
  assert.deepEqual(looseIn('ANTHROPIC').filter((id) => !OPEN.includes(id)), []);
  assert.deepEqual(looseIn('OPENAI').filter((id) => ![...OPEN, ...NULL_REMOVES].includes(id)), []);
  for (const { chat, anthropic, own, OPENAI, ANTHROPIC } of tools) {
    if (OPENAI === undefined) assert.deepEqual([chat.strict, chat.parameters], [false, own]);
    if (ANTHROPIC === undefined) assert.deepEqual(['strict' in anthropic, anthropic.input_schema], [false, own]);
  }
});

test('both forms of OpenAI say the same', () => {
  for (const { chat, responses } of tools) assert.deepEqual(responses, { type: 'function', ...chat });
});

test("OpenAI's SDK takes every strict schema as it is", () => {
  for (const { id, OPENAI: schema } of tools.filter((tool) => tool.OPENAI)) {
    assert.deepEqual(toStrictJsonSchema(schema), schema, id);
  }
});

test("OpenAI's SDK refuses the schemas that are not strict", () => {
  for (const { id, own } of tools.filter((tool) => !tool.OPENAI && tool.id !== 'query_database')) {
    assert.throws(() => toStrictJsonSchema(own), undefined, id);
  }
});

test("Anthropic's SDK takes every strict schema as it is", () => {
  for (const { id, ANTHROPIC: schema } of tools.filter((tool) => tool.ANTHROPIC)) {
    assert.deepEqual(transformJSONSchema(schema), schema, id);
  }
});

test("a page in Anthropic's form stays within the bounds of one request", async () => {
  const { rendered_json } = await call(gate, 'ListTools',
    { caller, page_size: 200, format: 'CATALOG_FORMAT_ANTHROPIC' });
  const strict = JSON.parse(rendered_json).filter((tool) => tool.strict);
  const optional = (schema) => (schema?.properties === undefined ? 0
    : Object.entries(schema.properties).reduce((sum, [name, property]) =>
      sum + (schema.required.includes(name) ? 0 : 1) + optional(property), 0)) + (schema?.items ? optional(schema.items) : 0);
  assert.ok(strict.length > 0 && strict.length <= 20);
  assert.ok(strict.reduce((sum, { input_schema }) => sum + optional(input_schema), 0) <= 24);
});

for (const dialect of ['OPENAI', 'ANTHROPIC']) {
  test(`${dialect}: all that a tool accepts can be said in its strict schema`, () => {
    for (const { id, own, [dialect]: strict } of tools.filter((tool) => tool[dialect])) {
      const [isOwn, isStrict] = [ajv.compile(own), ajv.compile(strict)];
      for (const args of samplesOf(own, SAMPLES, id)) {
        assert.ok(isOwn(args), `${id}: ${JSON.stringify(args)}: ${ajv.errorsText(isOwn.errors)}`);
        const said = dialect === 'OPENAI' ? withNulls(args, strict) : args;
        assert.ok(isStrict(said), `${id}: ${JSON.stringify(said)}: ${ajv.errorsText(isStrict.errors)}`);
      }
    }
  });

  test(`${dialect}: all that a strict schema accepts is accepted but for bounds`, () => {
    for (const { id, own, [dialect]: strict } of tools.filter((tool) => tool[dialect])) {
      const [isOwn, isStrict] = [ajv.compile(own), ajv.compile(strict)];
      let accepted = 0;
      for (const said of samplesOf(strict, SAMPLES, id)) {
        assert.ok(isStrict(said), `${id}: ${JSON.stringify(said)}: ${ajv.errorsText(isStrict.errors)}`);
        if (isOwn(withoutNulls(said, own))) {
          ++accepted;
          continue;
        }
        const broken = isOwn.errors.map(({ keyword }) => keyword).filter((keyword) => !LOOSE[dialect].includes(keyword));
        assert.deepEqual(broken, [], `${id}: ${JSON.stringify(said)}: ${ajv.errorsText(isOwn.errors)}`);
      }
      assert.ok(accepted > 0, id);
    }
  });
}

test("the service reads calls of OpenAI's strict schemas", async () => {
  for (const { id, own, OPENAI: strict } of tools.filter((tool) => tool.OPENAI)) {
    const isOwn = ajv.compile(own);
    const said = [...samplesOf(strict, SAMPLES, id)].find((args) => isOwn(withoutNulls(args, own)));
    const refusal = await call(gate, 'Execute',
      { caller, tool_id: id, dry_run: true, arguments_json: JSON.stringify(said) }).then(() => undefined, (error) => error);
    if (refusal?.infos?.[0]?.metadata?.layer !== 'param_validation') continue;
    // Forms of days and times are no keyword of the schema.
    const others = refusal.violations.filter(({ description }) => !description.includes('YYYY-MM-DD'));
    assert.deepEqual(others, [], `${id}: ${JSON.stringify(said)}`);
  }
});

// All descriptions in a rendered tool, wherever they stand. A property may be called "description".
const descriptionsIn = (value) => (typeof value !== 'object' || value === null ? [] : Object.entries(value)
  .flatMap(([key, member]) => (key === 'description' && typeof member === 'string' ? [member] : descriptionsIn(member))));

test('no description is longer than the 1,024 characters that model APIs take', () => {
  for (const { id, chat, responses, anthropic } of tools) {
    for (const text of [chat, responses, anthropic].flatMap(descriptionsIn)) {
      assert.ok([...text].length <= 1024, `${id}: ${[...text].length} characters: ${text.slice(0, 80)}`);
    }
  }
});
