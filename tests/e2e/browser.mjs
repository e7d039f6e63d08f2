// A headless Chromium, driven through its debugging pipe: no driver and no package is needed.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';

// Opens `url` and returns the page. `problems` collects messages of its console and requests that leave the machine or
// fail.
export async function openPage(url, { width = 1280, height = 1000 } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'toolgate-browser-'));
  const child = spawn('chromium', ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--hide-scrollbars',
    '--disable-dev-shm-usage', '--disable-background-networking', `--user-data-dir=${folder}`, '--remote-debugging-pipe',
    'about:blank'], { stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'] });
  let log = '';
  child.stderr.on('data', (bytes) => { log += bytes; });
  const ended = new Promise((done) => child.on('close', done));
  const waiting = new Map();
  const listeners = [];
  let next = 0;
  let rest = '';
  child.stdio[4].on('data', (bytes) => {
    const messages = (rest + bytes).split('\0');
    rest = messages.pop();
    for (const message of messages.map((text) => JSON.parse(text))) {
      const waiter = waiting.get(message.id);
      waiting.delete(message.id);
      if (waiter === undefined) listeners.forEach((listener) => listener(message));
      else if (message.error) waiter.reject(new Error(message.error.message));
      else waiter.resolve(message.result);
    }
  });
  ended.then(() => waiting.forEach(({ reject }) => reject(new Error(`chromium ended:\n${log}`))));
  const send = (method, params = {}, sessionId = undefined) => new Promise((resolve, reject) => {
    waiting.set(++next, { resolve, reject });
    child.stdio[3].write(`${JSON.stringify({ id: next, method, params, sessionId })}\0`);
  });

  const { targetId } = await send('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });
  const page = (method, params) => send(method, params, sessionId);
  const problems = [];
  const loaded = new Promise((resolve) => listeners.push(({ method, params }) => {
    if (method === 'Page.loadEventFired') resolve();
    if (method === 'Log.entryAdded') problems.push(`${params.entry.level}: ${params.entry.text}`);
    if (method === 'Runtime.consoleAPICalled') problems.push(`console.${params.type}`);
    if (method === 'Runtime.exceptionThrown') problems.push(params.exceptionDetails.text);
    if (method === 'Network.requestWillBeSent' && !/^(file|data):/.test(params.request.url)) {
      problems.push(`request for ${params.request.url}`);
    }
    if (method === 'Network.loadingFailed') problems.push(`loading failed: ${params.errorText}`);
  }));
  for (const domain of ['Page', 'Log', 'Runtime', 'Network']) await page(`${domain}.enable`);
  await page('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
  await page('Page.navigate', { url });
  await loaded;

  return {
    problems,
    // The value of a JavaScript expression in the page.
    async evaluate(expression) {
      const { result, exceptionDetails } = await page('Runtime.evaluate', { expression, returnByValue: true });
      if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
      return result.value;
    },
    setColourScheme: (value) => page('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value }] }),
    setWidth: (value) => page('Emulation.setDeviceMetricsOverride', { width: value, height, deviceScaleFactor: 1, mobile: false }),
    // The whole page as PNG.
    async screenshot() {
      const { data } = await page('Page.captureScreenshot', { format: 'png', captureBeyondViewport: true });
      return Buffer.from(data, 'base64');
    },
    async close() {
      await send('Browser.close').catch(() => {});
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

// The pixels of a PNG with 8 bits a channel and no interlacing, as Chromium writes it: "#rrggbb" and how often each occurs.
export function coloursOf(png) {
  const data = [];
  for (let at = 8; at < png.length;) {
    const length = png.readUInt32BE(at);
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') data.push(png.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  const [width, height, channels] = [png.readUInt32BE(16), png.readUInt32BE(20), png[25] === 6 ? 4 : 3];
  const raw = inflateSync(Buffer.concat(data));
  const stride = width * channels;
  let above = new Uint8Array(stride);
  const colours = new Map();
  for (let y = 0; y < height; ++y) {
    const filter = raw[y * (stride + 1)];
    const line = new Uint8Array(raw.subarray(y * (stride + 1) + 1, (y + 1) * (stride + 1)));
    for (let i = 0; i < stride; ++i) {
      const [a, b, c] = [i >= channels ? line[i - channels] : 0, above[i], i >= channels ? above[i - channels] : 0];
      const [pa, pb, pc] = [Math.abs(b - c), Math.abs(a - c), Math.abs(a + b - 2 * c)];
      line[i] += [0, a, b, (a + b) >> 1, pa <= pb && pa <= pc ? a : pb <= pc ? b : c][filter];
    }
    for (let i = 0; i < stride; i += channels) {
      const colour = `#${Buffer.from(line.subarray(i, i + 3)).toString('hex')}`;
      colours.set(colour, (colours.get(colour) ?? 0) + 1);
    }
    above = line;
  }
  return colours;
}
