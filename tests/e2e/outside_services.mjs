// The services of others that tools ask, played by one HTTP server on loopback: a model that makes images, one that
// writes artifacts, one that chats, and a search engine. `sections` are the sections of a configuration that name it.
import { createServer } from 'node:http';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAMAAAACAQMAAACnuvRZAAAAA1BMVEX/AAAZ4gk3AAAADElEQVQI12NgYGAAAAAEAAEnNCcKAAAAAElFTkSuQmCC';
const json = (body) => ({ type: 'application/json', text: JSON.stringify(body) });

// As OpenRouter answers a request for an image.
const image = ({ model }) => json({
  id: '1',
  model: `${model}-1`,
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: '',
    images: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } }] } }],
  usage: { prompt_tokens: 10, completion_tokens: 1290 },
});

// A streamed answer of chat completions.
const text = (written) => ({ model }) => {
  const events = [
    { id: '1', model: `${model}-1`, choices: [{ index: 0, delta: { role: 'assistant', content: written }, finish_reason: null }] },
    { id: '1', model: `${model}-1`, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
      usage: { prompt_tokens: 100, completion_tokens: 50 } },
  ];
  return { type: 'text/event-stream', text: `${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')}data: [DONE]\n\n` };
};

const found = ({ query }) => json({ query, answer: 'A summary.', results: [
  { title: 'First page', url: 'https://www.example.com/first', content: 'Line one.', score: 0.9 },
  { title: 'Not a page', url: 'javascript:alert(1)', content: '', score: 0.1 },
] });

const ANSWERS = {
  '/images/chat/completions': image,
  '/artifacts/chat/completions': text('```mermaid\nflowchart LR\n  a --> b\n```'),
  '/chat/chat/completions': text('Nothing is due.'),
  '/web_search/search': found,
};

// `delay()` are the milliseconds until an answer, `fails()` whether it is the status 503 instead.
export async function startOutsideServices({ delay = () => 0, fails = () => false } = {}) {
  const requests = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += piece;
    requests.push({ path: request.url, headers: request.headers });
    if (requests.length > 1000) requests.shift();
    await new Promise((resolve) => setTimeout(resolve, delay()));
    const answer = fails() ? undefined : ANSWERS[request.url]?.(JSON.parse(body));
    response.writeHead(answer ? 200 : 503, { 'content-type': answer?.type ?? 'text/plain' });
    response.end(answer?.text ?? 'not now');
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const at = (path, more) => ({ base_url: `http://127.0.0.1:${server.address().port}${path}`, keyless: true, ...more });
  return {
    requests,
    sections: {
      images: { provider: at('/images', { model: 'painter' }) },
      artifacts: { provider: at('/artifacts') },
      web_search: { provider: at('/web_search') },
      chat: { models: [{ name: 'local', api: 'OPENAI', model: 'talker', ...at('/chat') }] },
    },
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
