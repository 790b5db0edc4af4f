import type { JsonObject } from '../adapter.js';
import { jsonOfEvent, piecesOf } from '../conversation/pieces.js';
import type { StreamReader } from '../conversation/converse.js';
import { objectOf, textOf } from '../json/json.js';
import type { FoldState } from '../stream/stream-fold.js';
import { beforeFirstEvent } from '../stream/stream-fold.js';
import { appendText } from '../stream/transcript.js';
import { difyFault, difyUsage, withThinkTags } from './read-reply.js';

interface State extends FoldState {
  hasStarted: boolean;
  isThinking: boolean;
  /** An agent speaks, and says all of it once more at its end. */
  isAgent: boolean;
  hasSpoken: boolean;
}

/** What an app does before it speaks, in a line. */
function stepLine({ event, data, tool, observation }: JsonObject): string {
  const { workflow_id: workflow, node_type: node, status } = objectOf(data);
  switch (event) {
    case 'workflow_started':
      return `Workflow: ${textOf(workflow)}\n`;
    case 'workflow_finished':
      return `Workflow: ${textOf(workflow)} ${textOf(status)}\n`;
    case 'node_started':
      return `Node: ${textOf(node)}\n`;
    case 'node_finished':
      return `Node: ${textOf(node)} ${textOf(status)}\n`;
    case 'agent_thought':
      return textOf(tool) && textOf(observation) ? `Tool: ${textOf(tool)}\n` : '';
    default:
      return '';
  }
}

function isSpoken({ event }: JsonObject, { isAgent, hasSpoken }: State): boolean {
  if (event === 'agent_message') return true;
  if (event === 'message') return !isAgent;
  // What was said cannot be taken back.
  return event === 'message_replace' && !hasSpoken;
}

/** The answer comes with `message` or `agent_message`, and its usage with the `message_end` behind it. */
export const difyStreamReader: StreamReader<State> = {
  initialState: () => ({
    ...beforeFirstEvent,
    ...{ hasStarted: false, isThinking: false, isAgent: false, hasSpoken: false },
  }),

  read(before, event, { secrets, hidesSteps }) {
    const read = jsonOfEvent(before, event);
    if (!read.json) return { state: read.state, events: [] };
    const { json } = read;
    const fault = difyFault(json, secrets);
    if (fault) return { state: { ...before, fault }, events: [] };
    const spoken = withThinkTags(isSpoken(json, before) ? textOf(json.answer) : '', before.isThinking);
    const isEnd = json.event === 'message_end';
    const start = before.hasStarted ? {} : { start: { id: textOf(json.message_id) } };
    const state: State = {
      ...before,
      hasStarted: true,
      isThinking: spoken.isThinking,
      isAgent: before.isAgent || json.event === 'agent_message',
      hasSpoken: before.hasSpoken || spoken.text !== '',
      usage: (isEnd && difyUsage(json)) || before.usage,
      content: appendText(before.content, spoken.text),
      hasEnded: before.hasEnded || isEnd,
      isDone: isEnd,
    };
    return {
      state,
      events: piecesOf({ ...start, thought: hidesSteps ? '' : stepLine(json), text: spoken.text, isEnd }),
    };
  },
};
