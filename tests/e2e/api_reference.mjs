// Writes docs/api.md: the guide of docs/api.md.in, and below it a reference made from the protos.
//
//   node tests/e2e/api_reference.mjs
//
// api_reference.test.mjs fails when the page is not what this writes.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import descriptor from 'protobufjs/ext/descriptor/index.js';
import { Prose } from './api_prose.mjs';
import { anchorOf, root } from './documents.mjs';

export const page = join(root, 'docs/api.md');
const PACKAGE = 'toolgate.v1.';
// Files in the order of the page. Those that are not named here come last.
const ORDER = ['tool_service', 'instruction_service', 'audit_service', 'data_service', 'admin_service', 'chat_service'];
// Services that are in the protos and answer UNIMPLEMENTED; the test asks a server for those that it serves.
export const NOT_SERVED = [];
// Numbers of FileDescriptorProto, DescriptorProto, ServiceDescriptorProto and EnumDescriptorProto, as paths name them.
const IN_FILE = { message: 4, enum: 5, service: 6 };
const IN_MESSAGE = { field: 2, message: 3, enum: 4, oneof: 8 };

function readDescriptors() {
  const folder = mkdtempSync(join(tmpdir(), 'toolgate-api-'));
  try {
    const out = join(folder, 'protos.bin');
    const own = readdirSync(join(root, 'proto/toolgate/v1')).filter((file) => file.endsWith('.proto')).sort();
    execFileSync('protoc', ['-I', join(root, 'proto'), '--include_source_info', `--descriptor_set_out=${out}`,
      ...own.map((file) => `toolgate/v1/${file}`), 'google/rpc/error_details.proto', 'google/rpc/status.proto']);
    return descriptor.FileDescriptorSet.decode(readFileSync(out)).file;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

// Path in the descriptor → its comment.
function commentsOf(file) {
  const comments = new Map();
  for (const { path, leadingComments } of file.sourceCodeInfo.location) {
    if (leadingComments) comments.set(path.join('.'), leadingComments);
  }
  return comments;
}

// The file's messages and enums in the order of the source, those inside a message behind it. Names have no package.
function typesOf(file) {
  const comments = commentsOf(file);
  const prefix = file.package === 'toolgate.v1' ? '' : `${file.package}.`;
  const types = [];
  const add = (kind, type, scope, path) => {
    const name = `${scope}${type.name}`;
    types.push({ kind, name, type, path: path.join('.'), comments });
    (type.nestedType ?? []).forEach((inner, i) => {
      if (!inner.options?.mapEntry) add('message', inner, `${name}.`, [...path, IN_MESSAGE.message, i]);
    });
    (kind === 'message' ? type.enumType ?? [] : []).forEach((inner, i) =>
      add('enum', inner, `${name}.`, [...path, IN_MESSAGE.enum, i]));
  };
  file.messageType.forEach((type, i) => add('message', type, prefix, [IN_FILE.message, i]));
  file.enumType.forEach((type, i) => add('enum', type, prefix, [IN_FILE.enum, i]));
  return types;
}

function servicesOf(file) {
  const comments = commentsOf(file);
  return file.service.map((service, i) => ({ name: service.name, comment: comments.get(`${IN_FILE.service}.${i}`),
    rpcs: service.method.map((method, m) =>
      ({ ...method, name: method.name, comment: comments.get(`${IN_FILE.service}.${i}.2.${m}`) })) }));
}

// RPC → what docs/permissions.md says it needs.
function readPermissions() {
  const table = readFileSync(join(root, 'docs/permissions.md'), 'utf8').split('| RPC | needs |')[1];
  return new Map([...table.matchAll(/^\| `(\w+)` \| (.*) \|$/gm)].map((row) => [row[1], row[2]]));
}

// The codes of errors, with the status that refuses a call with each, as the code has them.
export function readErrorCodes() {
  const source = readFileSync(join(root, 'common/tool_error.cc'), 'utf8');
  const rows = source.matchAll(/\{ErrorCode::k\w+, "(\w+)", absl::StatusCode::k(\w+), (?:true|false)\}/g);
  const constant = (name) => name.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase();
  return new Map([...rows].map(([, code, status]) => [code, constant(status)]));
}

class Reference {
  constructor() {
    const rank = (file) => (ORDER.indexOf(file.name.split('/').pop().replace('.proto', '')) + 1) || ORDER.length + 1;
    const files = readDescriptors().sort((a, b) => rank(a) - rank(b));
    this.sections = files.filter((file) => file.service.length > 0)
      .map((file) => ({ services: servicesOf(file), types: typesOf(file) }));
    const others = (own) =>
      files.filter((file) => file.service.length === 0 && (file.package === 'toolgate.v1') === own).flatMap(typesOf);
    this.shared = others(true);
    this.details = others(false);
    this.permissions = readPermissions();
    const headings = new Map();
    for (const { services, types } of this.sections) {
      for (const { name, rpcs } of services) {
        headings.set(name, name);
        for (const rpc of rpcs) {
          const heading = `${name}.${rpc.name}`;
          headings.set(rpc.name, heading).set(heading, heading);
        }
      }
      for (const { name } of types) headings.set(name, name);
    }
    for (const { name } of [...this.shared, ...this.details]) {
      headings.set(name, name);
      if (name.startsWith('google.rpc.')) headings.set(name.slice('google.rpc.'.length), name);
    }
    this.prose = new Prose(headings, new Set(readErrorCodes().keys()));
  }

  #typeLink(name) {
    const known = name.replace(/^\./, '').replace(new RegExp(`^${PACKAGE}`), '');
    if (this.prose.headings.has(known)) return this.prose.link(known);
    const short = known.split('.').pop();
    return `[\`${short}\`](https://protobuf.dev/reference/protobuf/google.protobuf/#${short.toLowerCase()})`;
  }

  // The type of a field, with its label.
  #fieldType(field, message) {
    const scalar = (type) => `\`${descriptor.FieldDescriptorProto.Type[type].replace('TYPE_', '').toLowerCase()}\``;
    const typeOf = ({ typeName, type }) => (typeName ? this.#typeLink(typeName) : scalar(type));
    const entry = (message.nestedType ?? [])
      .find((type) => type.options?.mapEntry && field.typeName.endsWith(`.${type.name}`));
    if (entry) return `map of ${entry.field.map(typeOf).join(' to ')}`;
    const type = typeOf(field);
    if (field.label === descriptor.FieldDescriptorProto.Label.LABEL_REPEATED) return `repeated ${type}`;
    return field.proto3Optional ? `optional ${type}` : type;
  }

  #message({ name, type, path, comments }) {
    const lines = [`### ${name}`, '', this.prose.block(comments.get(path), name), ''];
    // A field with "optional" is in a group of its own, which the compiler has made.
    const groupOf = (field) =>
      (Object.hasOwn(field, 'oneofIndex') && !field.proto3Optional ? type.oneofDecl[field.oneofIndex] : undefined);
    (type.oneofDecl ?? []).forEach((group, i) => {
      if (!type.field.some((field) => groupOf(field) === group)) return;
      lines.push(`\`${group.name}\`: ${this.prose.block(comments.get(`${path}.${IN_MESSAGE.oneof}.${i}`), name)}`, '');
    });
    if (type.field.length === 0) return [...lines, 'It has no fields.', ''];
    lines.push('| no. | field | type | meaning |', '|--:|---|---|---|');
    type.field.forEach((field, i) => {
      const comment = this.prose.cell(comments.get(`${path}.${IN_MESSAGE.field}.${i}`), name);
      const group = groupOf(field) ? `<br>one of \`${groupOf(field).name}\`` : '';
      lines.push(`| ${field.number} | \`${field.name}\` | ${this.#fieldType(field, type)}${group} | ${comment} |`);
    });
    return [...lines, ''];
  }

  #enum({ name, type, path, comments }) {
    const rows = type.value.map((value, i) =>
      `| ${value.number ?? 0} | \`${value.name}\` | ${this.prose.cell(comments.get(`${path}.2.${i}`), name)} |`);
    return [`### ${name}`, '', this.prose.block(comments.get(path), name), '',
      '| no. | value | meaning |', '|--:|---|---|', ...rows, ''];
  }

  #types(types) {
    return types.flatMap((entry) => (entry.kind === 'enum' ? this.#enum(entry) : this.#message(entry)));
  }

  #service({ name, comment, rpcs }) {
    const lines = [`## ${name}`, '', `Full name: \`${PACKAGE}${name}\`. ${NOT_SERVED.includes(PACKAGE + name)
      ? 'Not served by this version: every call with good credentials answers `UNIMPLEMENTED`.' : ''}`.trim(), '',
    this.prose.block(comment, name), ''];
    for (const rpc of rpcs) {
      const side = (type, streams) => `${streams ? 'stream of ' : ''}${this.#typeLink(type)}`;
      const needs = this.permissions.get(rpc.name);
      lines.push(`### ${name}.${rpc.name}`, '',
        `${side(rpc.inputType, rpc.clientStreaming)} → ${side(rpc.outputType, rpc.serverStreaming)}`, '',
        this.prose.block(rpc.comment, `${name}.${rpc.name}`), '');
      const code = (text) => text.replace(/(?<![`\w:])[a-z]+:[a-z]+(?![`\w:])/g, '`$&`');
      if (needs) lines.push(`Permission: ${code(needs.replace(': ', '; '))}.`, '');
    }
    return lines;
  }

  contents() {
    const list = (label, types) =>
      (types.length > 0 ? [`  - ${label}: ${types.map(({ name }) => this.prose.link(name)).join(', ')}`] : []);
    const lines = [];
    for (const { services, types } of this.sections) {
      for (const { name, rpcs } of services) {
        const links = rpcs.map((rpc) => this.prose.link(`${name}.${rpc.name}`, rpc.name));
        lines.push(`- [${name}](#${anchorOf(name)}): ${links.join(', ')}`);
      }
      lines.push(...list('messages', types.filter(({ kind }) => kind === 'message')),
        ...list('enums', types.filter(({ kind }) => kind === 'enum')));
    }
    lines.push('- [Shared messages](#shared-messages)', ...list('messages', this.shared),
      '- [Details of refusals](#details-of-refusals)', ...list('messages', this.details));
    return lines.join('\n');
  }

  body() {
    return [
      ...this.sections.flatMap(({ services, types }) =>
        [...services.flatMap((service) => this.#service(service)), ...this.#types(types)]),
      '## Shared messages', '', ...this.#types(this.shared),
      '## Details of refusals', '',
      'The standard messages of `google.rpc` in the trailer `grpc-status-details-bin` of a refusal.', '',
      ...this.#types(this.details),
    ].join('\n').trim();
  }
}

// The whole page.
export function makePage() {
  const reference = new Reference();
  return readFileSync(join(root, 'docs/api.md.in'), 'utf8')
    .replace('{{contents}}', () => reference.contents()).replace('{{reference}}', () => reference.body());
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(page, makePage());
