// The HTML report of `toolgate load` in a real browser: nothing fails or is fetched, texts and plots are there and have a
// size, in light and dark and on a narrow screen. Set TOOLGATE_SCREENSHOTS to a folder to keep the pictures.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { coloursOf, openPage } from './browser.mjs';
import { root } from './prometheus.mjs';
import { binary, serve } from './server.mjs';

const folder = mkdtempSync(join(tmpdir(), 'toolgate-report-'));
const CHARTS = ['latency-curve', 'throughput', 'latency-time', 'in-flight', 'errors-time', 'server-cpu', 'server-memory', 'server-queue'];
// Text that would be markup if it were not escaped.
const HOSTILE = `<img src=x onerror=alert(1)>"'&`;
let page;

async function keep(name, png) {
  const to = process.env.TOOLGATE_SCREENSHOTS;
  if (!to) return;
  mkdirSync(to, { recursive: true });
  writeFileSync(join(to, `${name}.png`), png);
}

before(async () => {
  const server = await serve(['--config', join(root, 'deploy/load/unlimited.yaml')]);
  const profile = join(folder, 'profile.yaml');
  writeFileSync(profile, [
    `description: ${JSON.stringify(HOSTILE)}`, 'workspaces: 2', 'users: 5', 'setup:',
    `  - {tool: create_block, repeat: 10, arguments: '{"type": "page", "data": {"title": "{{words 2}}"}}', capture: {pool: pages, from: /blockId}}`,
    'steps:',
    `  - {tool: get_block, weight: 60, arguments: '{"blockId": "{{id pages}}"}'}`,
    `  - {tool: list_tasks, weight: 10, stream: true}`,
    `  - {tool: create_task, weight: 20, arguments: '{"title": "{{words 3}}"}'}`,
    `  - tool: get_block`, `    name: ${JSON.stringify(HOSTILE)}`, '    weight: 2', `    arguments: '{"blockId": "nothing-like-it"}'`, ''].join('\n'));
  try {
    execFileSync(resolve(binary), ['load', '--address', server.address, '--profile', profile, '--rate', 'ramp:50-300/6s',
      '--warm-up', '1s', '--metrics', server.metrics, '--threshold', 'rate>1/s', '--html', join(folder, 'report.html')],
    { stdio: ['ignore', 'ignore', 'inherit'] });
  } finally {
    await server.stop();
  }
  page = await openPage(pathToFileURL(join(folder, 'report.html')).href);
});
after(async () => {
  await page?.close();
  rmSync(folder, { recursive: true, force: true });
});

test('nothing fails, and nothing is fetched', () => {
  assert.deepEqual(page.problems, []);
});

test('text from outside is shown as text', async () => {
  assert.equal(await page.evaluate(`document.querySelectorAll('img, script, iframe').length`), 0);
  const text = await page.evaluate('document.body.innerText');
  assert.ok(text.includes(HOSTILE), text.slice(0, 500));
});

test('each part is there for a reader', async () => {
  const text = await page.evaluate('document.body.innerText');
  for (const part of ['threshold met', '99.99th percentile', 'Open loop, Poisson arrivals',
    'By step', 'Outcomes', 'NOT_FOUND', "The service's own numbers", 'Cost of the harness', 'Late starts', 'How to read this',
    'toolgate load --profile']) {
    assert.ok(text.includes(part), `${part} in\n${text}`);
  }
  const headings = await page.evaluate(`[...document.querySelectorAll('h1, h2')].map((h) => h.textContent)`);
  assert.ok(headings.length >= 8, headings.join());
});

test('each plot has a line of some length, a name and its data as a table', async () => {
  for (const id of CHARTS) {
    const found = await page.evaluate(`(() => {
      const figure = document.getElementById('${id}');
      if (figure === null) return null;
      const svg = figure.querySelector('svg');
      const box = svg.getBoundingClientRect();
      const line = figure.querySelector('path.line');
      return {
        width: box.width, height: box.height, length: line?.getTotalLength() ?? 0,
        inside: [...figure.querySelectorAll('path.line')].every((path) => {
          const one = path.getBBox();
          const view = svg.viewBox.baseVal;
          return one.x >= 0 && one.y >= -1 && one.x + one.width <= view.width + 1 && one.y + one.height <= view.height + 1;
        }),
        name: document.getElementById(svg.getAttribute('aria-labelledby').split(' ')[0])?.textContent,
        rows: figure.querySelectorAll('details tbody tr').length,
        ticks: figure.querySelectorAll('text.tick').length,
      };
    })()`);
    assert.ok(found !== null, `${id} is missing`);
    assert.ok(found.width > 300 && found.height > 100, `${id}: ${JSON.stringify(found)}`);
    assert.ok(found.length > 100, `${id}: ${JSON.stringify(found)}`);
    assert.ok(found.inside, `${id} leaves its picture`);
    assert.ok(found.name.length > 0 && found.rows > 1 && found.ticks > 3, `${id}: ${JSON.stringify(found)}`);
  }
});

test('it is drawn in light and dark, and fits a narrow screen', async () => {
  const series = { light: '#2457d6', dark: '#7aa5ff' };
  for (const scheme of ['light', 'dark']) {
    await page.setColourScheme(scheme);
    const png = await page.screenshot();
    await keep(scheme, png);
    const colours = coloursOf(png);
    assert.ok(colours.size > 200, `${colours.size} colours`);
    assert.ok(colours.get(series[scheme]) > 300, `${colours.get(series[scheme])} pixels of the first series in ${scheme}`);
  }
  await page.setColourScheme('light');
  await page.setWidth(400);
  await keep('narrow', await page.screenshot());
  const widest = await page.evaluate('document.documentElement.scrollWidth');
  assert.ok(widest <= 400, `${widest} pixels wide`);
});
