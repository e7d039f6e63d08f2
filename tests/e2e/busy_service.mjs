// A service with everything that its dashboard shows: HTTP, services of others, files with a shell, and a receiver of
// traces.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { connect } from './client.mjs';
import { startOutsideServices } from './outside_services.mjs';
import { serve } from './server.mjs';
import { Collector } from './trace_collector.mjs';
import { runOutsideTraffic, runTraffic } from './traffic.mjs';

// `outside` as startOutsideServices has it.
export async function startBusyService(outside = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'toolgate-busy-'));
  const others = await startOutsideServices(outside);
  const collector = await new Collector().start();
  mkdirSync(join(folder, 'files'), { mode: 0o755 });
  writeFileSync(join(folder, 'toolgate.yaml'), stringify({ ...others.sections, files: { root: join(folder, 'files') } }));
  const server = await serve(['--http-listen', '127.0.0.1:0', '--config', join(folder, 'toolgate.yaml')],
    { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, OTEL_BSP_SCHEDULE_DELAY: '500' });
  const clients = {
    tools: await connect(server.address, 'toolgate.v1.ToolService'),
    chats: await connect(server.address, 'toolgate.v1.ChatService'),
  };
  return {
    server,
    tools: clients.tools,
    // One round of every kind of traffic.
    async run(user, options) {
      await Promise.all([runTraffic(clients.tools, user, options), runOutsideTraffic(clients, user, server.http, options)]);
      collector.spans.length = 0;  // Nobody looks at them.
    },
    async stop() {
      for (const client of Object.values(clients)) client.close();
      const code = await server.stop();
      collector.stop();
      await others.stop();
      rmSync(folder, { recursive: true, force: true });
      return code;
    },
  };
}
