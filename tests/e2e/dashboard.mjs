// The dashboard and the alerts of deploy/, as data.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root } from './prometheus.mjs';

export const dashboard = JSON.parse(readFileSync(join(root, 'deploy/grafana/toolgate.json'), 'utf8'));
export const panels = dashboard.panels.filter((panel) => panel.type !== 'row');
export const alerts = parse(readFileSync(join(root, 'deploy/prometheus/alerts.yaml'), 'utf8'))
  .groups.flatMap((group) => group.rules);

// A panel's expression with Grafana's variables replaced: every instance and tool, and rates over `interval`.
export const filledIn = (expression, interval) => expression
  .replaceAll('$__rate_interval', interval).replace(/\$(instance|tool)\b/g, '.*');
