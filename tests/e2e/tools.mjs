// Calls of tools by a client of the service.
import assert from 'node:assert/strict';
import { call } from './client.mjs';

// `tools` returns the client, which may be connected later; all calls are made as `caller`.
export function toolCalls(tools, caller) {
  const execute = (tool_id, args, more = {}) =>
    call(tools(), 'Execute', { tool_id, arguments_json: JSON.stringify(args), caller, ...more });

  // The data of a call that must succeed.
  async function run(tool, args, more) {
    const response = await execute(tool, args, more);
    assert.equal(response.outcome, 'result', JSON.stringify(response));
    assert.equal(response.result.success, true, JSON.stringify(response.result.error));
    return JSON.parse(response.result.data_json);
  }

  // The error of a tool that ran and failed.
  async function failed(tool, args) {
    const { result } = await execute(tool, args);
    assert.equal(result.success, false, JSON.stringify(result));
    return result.error;
  }

  // The error of a call for which no tool ran.
  const refused = (tool, args, more) =>
    execute(tool, args, more).then(() => assert.fail('the call was not refused'), (error) => {
      assert.equal(error.infos?.length, 1, `exactly one ErrorInfo: ${JSON.stringify(error)}`);
      return error;
    });

  // Requests the confirmation, checks the effect that the question names (any, if none is given), and approves.
  async function confirmed(tool, args, question) {
    const asked = await execute(tool, args);
    assert.equal(asked.outcome, 'confirmation_request', JSON.stringify(asked));
    const [effect] = asked.confirmation_request.summary.split('\n');
    if (question !== undefined) assert.equal(effect, question);
    return run(tool, args, { confirmation_token: asked.confirmation_request.token });
  }

  async function undo(entry_id = '') {
    const { result } = await call(tools(), 'Undo', { caller, entry_id });
    assert.equal(result.success, true, JSON.stringify(result.error));
    return result;
  }

  return { execute, run, failed, refused, confirmed, undo };
}
