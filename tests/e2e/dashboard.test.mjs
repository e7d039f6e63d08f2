// The dashboard and the alerts use only what the service really exports, and a real Prometheus evaluates all of it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { parser } from '@prometheus-io/lezer-promql';
import { startBusyService } from './busy_service.mjs';
import { alerts, dashboard, filledIn, panels } from './dashboard.mjs';
import { draw } from './draw_dashboard.mjs';
import { eventually, root, startPrometheus } from './prometheus.mjs';

let service, prometheus;

before(async () => {
  service = await startBusyService();
  prometheus = await startPrometheus(service.server.metrics);
});
after(async () => {
  await prometheus?.stop();
  assert.equal(await service?.stop(), 0);
});

const EXPRESSIONS = [
  ...panels.flatMap((panel) => panel.targets.map((target) => [panel.title, target.expr])),
  ...dashboard.annotations.list.map((annotation) => [annotation.name, annotation.expr]),
  ...alerts.map((alert) => [alert.alert, alert.expr]),
].map(([where, expression]) => ({ where, expression: filledIn(expression, '1m') }));

// The selectors of a PromQL expression, {name, matchers: [{label, value}]}, and the labels that it groups by.
function analyse({ where, expression }) {
  const selectors = [];
  const groupings = new Set();
  const text = (node) => expression.slice(node.from, node.to);
  parser.parse(expression).iterate({
    enter(node) {
      assert.ok(!node.type.isError, `${where}: not PromQL near ${node.from} in ${expression}`);
      if (node.name === 'VectorSelector') selectors.push({ name: text(node.node.getChild('Identifier')), matchers: [] });
      if (node.name === 'UnquotedLabelMatcher') {
        selectors.at(-1).matchers.push({ label: text(node.node.getChild('LabelName')),
          value: JSON.parse(text(node.node.getChild('StringLiteral'))) });
      }
      if (node.name === 'GroupingLabels') {
        for (const label of node.node.getChildren('LabelName')) groupings.add(text(label));
      }
    },
  });
  return { where, selectors, groupings: [...groupings] };
}

// The series of an exposition: name → label → set of values.
function readExposition(text) {
  const names = new Map();
  for (const line of text.split('\n')) {
    const [, name, list] = /^([a-z_]+)(?:\{(.*)\})? /.exec(line) ?? [];
    if (!name) continue;
    if (!names.has(name)) names.set(name, new Map());
    for (const [, label, value] of (list ?? '').matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)) {
      const values = names.get(name);
      if (!values.has(label)) values.set(label, new Set());
      values.get(label).add(value);
    }
  }
  return names;
}

const exposition = async () => readExposition(await (await fetch(`http://${service.server.metrics}/metrics`)).text());
// Prometheus adds these by itself.
const TARGET_LABELS = ['instance', 'job'];
const GRPC_CODES = ['OK', 'Unknown', 'Internal', 'DataLoss', 'Unimplemented'];

test('every metric and label of the dashboard and the alerts is exported', async () => {
  await service.run('ada', { limited: true });
  const exported = await exposition();
  const uses = EXPRESSIONS.map(analyse);
  assert.ok(uses.length >= 60, `${uses.length} expressions`);
  const used = new Set();
  for (const { where, selectors, groupings } of uses) {
    const labels = new Set(TARGET_LABELS);
    assert.ok(selectors.length > 0, where);
    for (const { name, matchers } of selectors) {
      used.add(name);
      if (name === 'up') continue;  // Prometheus's own.
      assert.ok(exported.has(name), `${where}: ${name} is not exported`);
      for (const label of exported.get(name).keys()) labels.add(label);
      for (const { label } of matchers) {
        assert.ok(exported.get(name).has(label) || TARGET_LABELS.includes(label), `${where}: ${name} has no label ${label}`);
      }
    }
    for (const label of groupings) assert.ok(labels.has(label), `${where}: groups by ${label}, which nothing there has`);
  }
  // The other way round: every metric of the service itself is on the dashboard or in an alert.
  const families = [...exported.keys()].map((name) => name.replace(/_(bucket|sum|count)$/, ''));
  const shown = new Set([...used].map((name) => name.replace(/_(bucket|sum|count)$/, '')));
  const unused = [...new Set(families)].filter((name) => /^(toolgate|grpc_server)_/.test(name) && !shown.has(name));
  assert.deepEqual(unused, []);
});

test('every label value that they select can occur', async () => {
  const exported = await exposition();
  const documented = readFileSync(join(root, 'docs/metrics.md'), 'utf8');
  const codes = readFileSync(join(root, 'proto/toolgate/v1/tool_error.proto'), 'utf8');
  let checked = 0;
  for (const { where, selectors } of EXPRESSIONS.map(analyse)) {
    for (const { name, matchers } of selectors) {
      for (const { label, value } of matchers) {
        if (TARGET_LABELS.includes(label) || value === '.*') continue;
        for (const one of value.split('|')) {
          ++checked;
          const known = exported.get(name)?.get(label)?.has(one)
            || (label === 'grpc_code' && GRPC_CODES.includes(one))
            || ((label === 'reason' || label === 'outcome') && new RegExp(`\\b${one}\\b`).test(codes + documented))
            || (label === 'layer' && exported.get('toolgate_layer_duration_seconds_count').get('layer').has(one));
          assert.ok(known, `${where}: ${name}{${label}="${one}"} never occurs`);
        }
      }
    }
  }
  assert.ok(checked >= 20, `${checked} values`);
});

// Panels that show nothing on a healthy service: its breakers are closed.
const QUIET = ['Open and half-open breakers'];
// A quantile or a share of nothing is NaN, which no panel shows.
const hasFinite = ({ result }) => result.some(({ value: [, value] }) => Number.isFinite(Number(value)));

test('a real Prometheus loads the alerts and answers every panel', { timeout: 180_000 }, async () => {
  let rules = [];
  // Before the first scrape, ToolgateAbsent is pending.
  await eventually(async () => {
    rules = (await prometheus.ask('rules')).groups.flatMap((group) => group.rules);
    return rules.every((rule) => rule.health === 'ok' && rule.state === 'inactive') || undefined;
  }, 60, () => `not evaluated, or pending or firing on a healthy service: ${JSON.stringify(rules
    .filter((rule) => rule.health !== 'ok' || rule.state !== 'inactive'), ['name', 'health', 'state', 'lastError'])}`);
  assert.equal(rules.length, alerts.length);
  let empty;
  await eventually(async () => {
    await service.run(`user-${Date.now()}`);
    empty = [];
    for (const panel of panels) {
      const answers = await Promise.all(panel.targets.map((target) =>
        prometheus.ask('query', { query: filledIn(target.expr, '10s') })));
      if (!answers.some(hasFinite)) empty.push(panel.title);
    }
    return empty.every((title) => QUIET.includes(title)) || undefined;
  }, 120, () => `panels without a finite value: ${empty}`);
  assert.deepEqual(empty, QUIET, 'QUIET lists panels that are quiet');
});

test('the picture shows every panel', async () => {
  const now = Date.now() / 1000;
  const svg = await draw(dashboard, prometheus.ask, { from: now - 60, to: now, interval: '10s' });
  for (const panel of dashboard.panels) assert.ok(svg.includes(`>${panel.title}<`), panel.title);
  assert.ok((svg.match(/<path/g) ?? []).length > panels.length, 'lines');
});

test('the dashboard imports anywhere: the data source is a variable, ids are unique, panels do not overlap', () => {
  assert.equal(dashboard.templating.list[0].type, 'datasource');
  assert.equal(new Set(dashboard.panels.map((panel) => panel.id)).size, dashboard.panels.length);
  const taken = new Set();
  for (const panel of dashboard.panels) {
    const { x, y, w, h } = panel.gridPos;
    assert.ok(x + w <= 24, panel.title);
    for (let i = x; i < x + w; ++i) {
      for (let j = y; j < y + h; ++j) {
        assert.ok(!taken.has(`${i},${j}`), `${panel.title} overlaps another panel`);
        taken.add(`${i},${j}`);
      }
    }
  }
  const sources = [...JSON.stringify(dashboard).matchAll(/"datasource":\{"type":"prometheus","uid":"([^"]*)"/g)].map((match) => match[1]);
  assert.ok(sources.length > 2 * panels.length);
  assert.deepEqual([...new Set(sources)], ['${datasource}']);
});

