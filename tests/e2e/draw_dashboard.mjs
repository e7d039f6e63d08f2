// Draws deploy/grafana/toolgate.json as one SVG: asks a Prometheus for each panel's own expressions and draws the answers
// in the panels' places. It knows the two types of panels in the file, stat and timeseries, and is no Grafana.
//
//   node tests/e2e/draw_dashboard.mjs FILE.svg [SECONDS]
//
// starts a service with everything that it may have, and a Prometheus, makes traffic for SECONDS (300), and draws what
// came of it.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startBusyService } from './busy_service.mjs';
import { dashboard, filledIn } from './dashboard.mjs';
import { startPrometheus } from './prometheus.mjs';

const CELL = { w: 58, h: 30 };
const COLOURS = ['#7eb26d', '#eab839', '#6ed0e0', '#ef843c', '#e24d42', '#1f78c1', '#ba43a9', '#705da0', '#508642', '#cca300'];
const escaped = (text) => String(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const say = (x, y, text, more = '') => `<text x="${x}" y="${y}" ${more}>${escaped(text)}</text>`;

function scaled(value, steps) {
  const [factor, unit] = steps.find(([at]) => Math.abs(value) >= at) ?? steps.at(-1);
  return `${Number((value / factor).toPrecision(3))}${unit}`;
}
function formatted(value, unit) {
  if (!Number.isFinite(value)) return '–';
  if (value === 0) return '0';
  if (unit === 's') return scaled(value, [[1, ' s'], [1e-3, ' ms'], [1e-6, ' µs']]);
  if (unit === 'percentunit') return `${Number((value * 100).toPrecision(3))} %`;
  if (unit === 'bytes') return scaled(value, [[2 ** 30, ' GiB'], [2 ** 20, ' MiB'], [2 ** 10, ' KiB'], [1, ' B']]);
  const plain = scaled(value, [[1e6, ' M'], [1e3, ' k'], [1, '']].concat(Math.abs(value) < 1 ? [[1, '']] : []));
  return unit === 'ops' || unit === 'reqps' ? `${plain}/s` : plain;
}

const legend = (target, metric) => target.legendFormat.replace(/\{\{(\w+)\}\}/g, (_, label) => metric[label] ?? '');

async function drawStat(panel, ask, { to, interval }, box) {
  const [target] = panel.targets;
  const { result } = await ask('query', { query: filledIn(target.expr, interval), time: to });
  const { unit, thresholds } = panel.fieldConfig.defaults;
  const value = result.length > 0 ? Number(result[0].value[1]) : NaN;
  const step = thresholds.steps.filter(({ value: at }) => at === null || value >= at).at(-1) ?? thresholds.steps[0];
  const shown = panel.options.textMode === 'name' ? result.map(({ metric }) => legend(target, metric)).join(' ') : formatted(value, unit);
  const colour = { green: '#73bf69', red: '#f2495c', orange: '#ff9830', blue: '#5794f2' }[step.color];
  return say(box.w / 2, box.h / 2 + 22, shown || '–', `text-anchor="middle" font-size="26" fill="${colour}"`);
}

async function drawGraph(panel, ask, { from, to, interval }, box) {
  const step = Math.max(1, Math.round((to - from) / 100));
  const series = [];
  for (const target of panel.targets) {
    const { result } = await ask('query_range', { query: filledIn(target.expr, interval), start: from, end: to, step });
    for (const { metric, values } of result) {
      const points = values.map(([time, value]) => [time, Number(value)]).filter(([, value]) => Number.isFinite(value));
      if (points.length > 0) series.push({ name: legend(target, metric), points });
    }
  }
  const { unit, custom } = panel.fieldConfig.defaults;
  const area = { x: 52, y: 26, w: box.w - 62, h: box.h - 26 - 46 };
  if (series.length === 0) return say(box.w / 2, box.h / 2, 'nothing in this time', 'text-anchor="middle" fill="#8e8e8e"');
  if (custom.stacking.mode === 'normal') {
    const below = new Map();
    for (const { points } of series) {
      for (const point of points) {
        point[1] += below.get(point[0]) ?? 0;
        below.set(point[0], point[1]);
      }
    }
  }
  const top = Math.max(...series.flatMap(({ points }) => points.map(([, value]) => value))) * 1.1 || 1;
  const x = (time) => Math.round((area.x + (time - from) / (to - from) * area.w) * 10) / 10;
  const y = (value) => Math.round((area.y + area.h - value / top * area.h) * 10) / 10;
  let svg = '';
  for (const part of [0, 0.5, 1]) {
    svg += `<line x1="${area.x}" x2="${area.x + area.w}" y1="${y(top * part)}" y2="${y(top * part)}" stroke="#2c3235"/>`
      + say(area.x - 6, y(top * part) + 4, formatted(top * part, unit), 'text-anchor="end" fill="#8e8e8e"');
  }
  for (const part of [0, 0.5, 1]) {
    svg += say(area.x + area.w * part, area.y + area.h + 14, new Date((from + (to - from) * part) * 1000).toISOString().slice(11, 19),
      `text-anchor="${part === 0 ? 'start' : part === 1 ? 'end' : 'middle'}" fill="#8e8e8e"`);
  }
  let at = { x: area.x, y: area.y + area.h + 30 };
  for (const [i, { name, points }] of series.slice(0, 10).entries()) {
    const colour = COLOURS[i];
    svg += `<path d="M${points.map(([time, value]) => `${x(time)} ${y(value)}`).join('L')}" stroke="${colour}" fill="none"/>`;
    const width = 24 + name.length * 5.8 + (name.match(/[A-Z_]/g) ?? []).length * 1.6;
    if (at.x + width > box.w) at = { x: area.x, y: at.y + 13 };
    if (at.y > box.h) continue;
    svg += `<rect x="${at.x}" y="${at.y - 5}" width="10" height="3" fill="${colour}"/>` + say(at.x + 14, at.y, name, 'fill="#c7d0d9"');
    at.x += width;
  }
  return svg;
}

// The dashboard as SVG, with data from `from` to `to` (seconds since the epoch). `ask` queries Prometheus' HTTP API;
// `interval` is the range of rates.
export async function draw(source, ask, times) {
  const size = { w: 24 * CELL.w, h: Math.max(...source.panels.map(({ gridPos: { y, h } }) => y + h)) * CELL.h };
  let svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.w} ${size.h}" font-family="sans-serif" font-size="10">`
    + `<rect width="100%" height="100%" fill="#111217"/>\n`;
  for (const panel of source.panels) {
    const { x, y, w, h } = panel.gridPos;
    const box = { w: w * CELL.w - 8, h: h * CELL.h - 8 };
    svg += `<g transform="translate(${x * CELL.w + 4} ${y * CELL.h + 4})">`;
    if (panel.type === 'row') {
      svg += say(4, 18, panel.title, 'font-size="14" fill="#d8d9da"');
    } else {
      svg += `<rect width="${box.w}" height="${box.h}" rx="2" fill="#181b1f" stroke="#25272c"/>`
        + say(8, 16, panel.title, 'font-size="12" fill="#d8d9da"')
        + await (panel.type === 'stat' ? drawStat : drawGraph)(panel, ask, times, box);
    }
    svg += '</g>\n';
  }
  return `${svg}</svg>\n`;
}

async function main(file, seconds) {
  const service = await startBusyService({ delay: () => 20 + 180 * Math.random() ** 4, fails: () => Math.random() < 0.02 });
  const prometheus = await startPrometheus(service.server.metrics);
  try {
    const from = Date.now() / 1000;
    for (let round = 0; Date.now() / 1000 < from + seconds; ++round) {
      // Busier in the middle than at the ends, as a day is. A user stays long enough to reach the limit of deletions.
      const busy = 1 + Math.round(7 * Math.sin(Math.PI * (Date.now() / 1000 - from) / seconds) ** 2);
      await Promise.all(Array.from({ length: busy }, (_, i) =>
        service.run(`user-${Math.floor(round / 130)}-${i}`, { limited: round % 40 === 39 && i === 0, mishap: round % 20 === 10 && i === 0 })));
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const to = Date.now() / 1000;
    writeFileSync(file, await draw(dashboard, prometheus.ask, { from: from + 5, to, interval: '10s' }));
  } finally {
    await prometheus.stop();
    await service.stop();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv[2], Number(process.argv[3] ?? 300));
