// Scripted models behind four HTTP APIs of three providers, and the form of what their SDKs send. The server is aimock,
// which is not ours. A script is a list of turns: each is a function of the request's body and answers a text, or the
// tool calls as {name, arguments, id}.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LLMock } from '@copilotkit/aimock';
import typescript from 'typescript';

// For each provider, how to read the body of a request:
// - `tools`: the names of the tools on offer.
// - `results`: the results at its end in order, as {id, name, failed, value}, with their JSON parsed.
// - `rounds`: for each turn of the model with calls, the ids of its calls, and of the results that follow at once.
export const providers = {
  OpenAI: {
    format: 'OPENAI',
    nameRule: /^[A-Za-z0-9_-]{1,64}$/,
    userMessage: (text) => ({ role: 'user', content: text }),
    tools: (body) => body.tools.map((tool) => tool.function.name),
    rendered: (body) => body.tools,
    results(body) {
      const last = body.messages.findLastIndex((message) => message.role !== 'tool');
      return body.messages.slice(last + 1).map(({ tool_call_id: id, content }) => ({ id, value: JSON.parse(content) }));
    },
    rounds: ({ messages }) => messages.flatMap(({ tool_calls: calls }, i) => (calls === undefined ? [] : [{
      calls: calls.map(({ id }) => id),
      results: messages.slice(i + 1, i + 1 + calls.length).map(({ tool_call_id: id }) => id),
    }])),
  },
  'OpenAI Responses': {
    format: 'OPENAI_RESPONSES',
    nameRule: /^[A-Za-z0-9_-]{1,64}$/,
    userMessage: (text) => ({ role: 'user', content: text }),
    tools: (body) => body.tools.map((tool) => tool.name),
    rendered: (body) => body.tools,
    results(body) {
      const last = body.input.findLastIndex(({ type }) => type !== 'function_call_output');
      return body.input.slice(last + 1).map(({ call_id: id, output }) => ({ id, value: JSON.parse(output) }));
    },
    rounds({ input }) {
      const isCall = (item) => item?.type === 'function_call';
      return input.flatMap((item, i) => {
        if (!isCall(item) || isCall(input[i - 1])) return [];
        const rest = input.slice(i);
        const length = rest.findIndex((other) => !isCall(other));
        return [{ calls: rest.slice(0, length).map(({ call_id: id }) => id),
          results: rest.slice(length, 2 * length).map(({ call_id: id }) => id) }];
      });
    },
  },
  Anthropic: {
    format: 'ANTHROPIC',
    nameRule: /^[A-Za-z0-9_-]{1,128}$/,
    userMessage: (text) => ({ role: 'user', content: text }),
    tools: (body) => body.tools.map((tool) => tool.name),
    rendered: (body) => body.tools,
    results: (body) => body.messages.at(-1).content.map(({ tool_use_id: id, is_error: failed, content }) =>
      ({ id, failed, value: JSON.parse(content) })),
    rounds: ({ messages }) => messages.flatMap(({ role, content }, i) => (role !== 'assistant' ? [] : [{
      calls: content.filter(({ type }) => type === 'tool_use').map(({ id }) => id),
      results: messages[i + 1].content.map(({ tool_use_id: id }) => id),
    }])),
  },
  Gemini: {
    format: 'GEMINI',
    nameRule: /^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/,
    userMessage: (text) => ({ role: 'user', parts: [{ text }] }),
    tools: (body) => body.tools[0].functionDeclarations.map((tool) => tool.name),
    rendered: (body) => body.tools[0],
    results: (body) => body.contents.at(-1).parts.map(({ functionResponse: { id, name, response: value } }) =>
      ({ id, name, value })),
    rounds: ({ contents }) => contents.flatMap(({ role, parts }, i) => (role !== 'model' ? [] : [{
      calls: parts.map(({ functionCall: { id, name } }) => id ?? name),
      results: contents[i + 1].parts.map(({ functionResponse: { id, name } }) => id ?? name),
    }])),
  },
};

// Starts the server and points the SDKs at it; they read its address when a program creates its client.
export async function startModel() {
  const mock = await LLMock.create({ port: 0 });
  Object.assign(process.env, {
    OPENAI_BASE_URL: `${mock.url}/v1`, OPENAI_API_KEY: 'none',
    ANTHROPIC_BASE_URL: mock.url, ANTHROPIC_API_KEY: 'none',
    GOOGLE_GEMINI_BASE_URL: mock.url, GEMINI_API_KEY: 'none',
  });
  let turns = [];
  let bodies = [];
  const send = globalThis.fetch;
  globalThis.fetch = (url, init) => {
    if (String(url).startsWith(mock.url)) bodies.push(JSON.parse(init.body));
    return send(url, init);
  };
  mock.on({ predicate: () => true }, () => {
    const turn = turns.shift()?.(bodies.at(-1)) ?? 'The script is over.';
    return typeof turn === 'string' ? { content: turn } : { toolCalls: turn };
  });
  return {
    // Begins a conversation; what is sent in it is collected in the array that is returned.
    play(script) {
      turns = [...script];
      return bodies = [];
    },
    async stop() {
      globalThis.fetch = send;
      await mock.stop();
    },
  };
}

const TYPES = `
  import type OpenAI from 'openai';
  import type Anthropic from '@anthropic-ai/sdk';
  import type { Content, Tool } from '@google/genai';
  type OpenAIBody = OpenAI.ChatCompletionCreateParamsNonStreaming;
  type OpenAIResponsesBody = OpenAI.Responses.ResponseCreateParamsNonStreaming;
  type AnthropicBody = Anthropic.MessageCreateParamsNonStreaming;
  type GeminiBody = { contents: Content[], tools: Tool[], generationConfig: {} };
`;

// The errors of the compiler when `bodies`, rows of [provider, body], are given the types of the SDKs. An unknown
// property is an error too. `folder` has the SDKs in its node_modules.
export function typeErrors(bodies, folder) {
  const file = join(folder, 'bodies.mts');
  writeFileSync(file, TYPES + bodies.map(([provider, body], i) =>
    `export const body${i}: ${provider.replaceAll(' ', '')}Body = ${JSON.stringify(body)};\n`).join(''));
  const program = typescript.createProgram([file], { noEmit: true, strict: true, skipLibCheck: true, types: [],
    module: typescript.ModuleKind.NodeNext, target: typescript.ScriptTarget.ES2022 });
  return typescript.getPreEmitDiagnostics(program).map(({ messageText }) =>
    typescript.flattenDiagnosticMessageText(messageText, ' '));
}
