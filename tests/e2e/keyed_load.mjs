// Writers whose every mutation has an idempotency key, and the proof that none was lost or doubled.
import assert from 'node:assert/strict';
import { call } from './client.mjs';

export const WORKSPACE = 'crash';
const caller = (user) => ({ workspace_id: WORKSPACE, user_id: user });

export function newState(writers) {
  const state = { stopped: false, next: {}, last: {}, sent: [], titles: new Map(), acknowledged: 0 };
  for (let i = 0; i < writers; ++i) state.next[`u${i}`] = 0;
  return state;
}

// One writer: numbered creations, each with its own key, and sometimes an undo of the last; until the state is stopped
// or a service is gone. `pick` returns the ToolService to ask.
export async function write(pick, user, state) {
  while (!state.stopped) {
    const title = `${user}-${state.next[user]++}`;
    const undo = title.endsWith('7') && state.last[user];
    const key = `key-${undo ? 'undo-' : ''}${title}`;
    const work = undo
      ? { method: 'Undo', request: { entry_id: state.last[user].entry, idempotency_key: key, caller: caller(user) } }
      : { method: 'Execute', request: { tool_id: 'create_block', caller: caller(user), idempotency_key: key,
        arguments_json: JSON.stringify({ type: 'page', data: { title } }) } };
    const record = { user, title, key, work, undoes: undo ? state.last[user].title : undefined };
    state.sent.push(record);
    try {
      const { result } = await call(pick(), work.method, work.request);
      record.answer = result;
      if (!undo) state.last[user] = { title, entry: result.undo_entry_id };
      else delete state.last[user];
    } catch {
      return; // The service is gone; whether this one was applied is not known.
    }
  }
}

// Retrying unacknowledged mutations settles them: applied exactly once, now or before.
export async function settle(pick, state) {
  for (const record of state.sent.filter((r) => !r.answer)) {
    const { result } = await call(pick(), record.work.method, record.work.request);
    record.answer = result;
    assert.ok(result.success || record.undoes, `${record.key}: ${JSON.stringify(result.error)}`);
    delete state.last[record.user];
  }
}

// Checks that all is there that was acknowledged since the last check, and nothing that was undone; and the chain.
export async function check(pick, audit, state) {
  const counts = new Map();
  for (const record of state.sent) {
    if (!record.undoes) counts.set(record.title, 1);
  }
  for (const record of state.sent) {
    if (record.undoes && record.answer.success) counts.set(record.undoes, 0);
  }
  for (const record of state.sent.filter((r) => !r.undoes)) {
    const id = JSON.parse(record.answer.data_json).blockId;
    const { result } = await call(pick(), 'Execute', { tool_id: 'get_block', caller: caller(record.user),
      arguments_json: JSON.stringify({ blockId: id }) });
    assert.equal(result.success, counts.get(record.title) === 1, `${record.title}: ${JSON.stringify(result)}`);
  }
  const report = await call(audit, 'VerifyChain', { caller: caller('auditor') });
  assert.equal(report.valid, true, JSON.stringify(report));
  state.acknowledged += state.sent.length;
  for (const record of state.sent) if (!record.undoes) state.titles.set(record.title, record);
  state.sent = [];
  state.stopped = false;
}

// Every title ever written is in the audit log exactly once.
export async function checkOnce(audit, state) {
  const written = new Map();
  for (let token = ''; ;) {
    const page = await call(audit, 'SearchEntries', { caller: caller('auditor'), tool_id: 'create_block', success: true,
      page_size: 500, page_token: token });
    for (const entry of page.entries.filter((row) => !row.idempotent_replay)) {
      const { title } = JSON.parse(entry.params_json).data;
      written.set(title, (written.get(title) ?? 0) + 1);
    }
    token = page.next_page_token;
    if (!token) break;
  }
  assert.equal(written.size, state.titles.size);
  for (const [title, count] of written) assert.equal(count, 1, `${title} was written ${count} times`);
}
