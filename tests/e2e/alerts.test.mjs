// The alerts: promtool checks them and runs their unit tests, and each has a section in the runbook.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { alerts, panels } from './dashboard.mjs';
import { root } from './prometheus.mjs';

const folder = join(root, 'deploy/prometheus');
const cases = parse(readFileSync(join(folder, 'alerts_test.yaml'), 'utf8')).tests;

function promtool(...args) {
  const run = spawnSync('promtool', args, { cwd: folder, encoding: 'utf8' });
  assert.equal(run.status, 0, `${run.error ?? ''}${run.stdout}${run.stderr}`);
  return run.stdout;
}

test('promtool accepts the rules', () => {
  assert.match(promtool('check', 'rules', '--lint-fatal', 'alerts.yaml'), new RegExp(`SUCCESS: ${alerts.length} rules found`));
});

test('promtool accepts the configuration of the compose file', () => {
  promtool('check', 'config', '--syntax-only', '../compose/prometheus.yaml');
});

test('each alert fires where it should, and is quiet a little earlier and on a healthy service', () => {
  promtool('test', 'rules', 'alerts_test.yaml');
  const checks = cases.flatMap((one) => one.alert_rule_test);
  const healthy = cases.at(-1).alert_rule_test;
  for (const { alert } of alerts) {
    const own = checks.filter((check) => check.alertname === alert);
    assert.ok(own.some((check) => check.exp_alerts?.length > 0), `${alert} fires in no test`);
    assert.ok(own.some((check) => !check.exp_alerts && !healthy.includes(check)), `${alert} is quiet in no test of its own`);
    assert.ok(healthy.some((check) => check.alertname === alert), `${alert} is not tried on a healthy service`);
  }
});

test('each alert has a severity, a summary, and a section in the runbook', () => {
  const sections = [...readFileSync(join(root, 'docs/runbook.md'), 'utf8').matchAll(/^### (.*)$/gm)].map((match) => match[1]);
  assert.deepEqual(sections, alerts.map((alert) => alert.alert), 'sections stand in the order of the alerts');
  for (const { alert, labels, annotations } of alerts) {
    assert.match(labels.severity, /^(page|ticket)$/, alert);
    assert.ok(annotations.summary.length > 20, alert);
    assert.equal(annotations.runbook_url, `https://example.org/toolgate/docs/runbook.md#${alert.toLowerCase()}`);
  }
});

test('the runbook names panels by their titles', () => {
  const named = [...readFileSync(join(root, 'docs/runbook.md'), 'utf8').matchAll(/"([A-Z][^"]+)"/g)].map((match) => match[1]);
  assert.ok(named.length >= 5, `${named}`);
  for (const name of named) assert.ok(panels.some(({ title }) => title.startsWith(name)), name);
});
