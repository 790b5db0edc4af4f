import type { JsonObject } from '../adapter.js';
import { jsonOfEvent, piecesOf, withStart } from '../conversation/pieces.js';
import type { StreamReader } from '../conversation/converse.js';
import { objectOf, textOf } from '../json/json.js';
import type { FoldState } from '../stream/stream-fold.js';
import { beforeFirstEvent } from '../stream/stream-fold.js';
import { appendText } from '../stream/transcript.js';
import { difyFault, difyUsage, withThinkTags } from './read-reply.js';

interface State extends FoldState {
  hasStarted: boolean;
  isThinking: boolean;
  /** The app is an agent, which repeats its whole text at the end. */
  isAgent: boolean;
  hasSpoken: boolean;
}

/** One line about a step of the app before its answer. */
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
  // A replacement is used only if no text was sent yet, because sent text cannot be withdrawn.
  return event === 'message_replace' && !hasSpoken;
}

/** Reads the answer from `message` or `agent_message` events and the usage from the `message_end` after them. */
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
    const events = piecesOf({ thought: hidesSteps ? '' : stepLine(json), text: spoken.text, isEnd });
    const state: State = {
      ...before,
      hasStarted: before.hasStarted || events.length > 0,
      isThinking: spoken.isThinking,
      isAgent: before.isAgent || json.event === 'agent_message',
      hasSpoken: before.hasSpoken || spoken.text !== '',
      usage: (isEnd && difyUsage(json)) || before.usage,
      content: appendText(before.content, spoken.text),
      hasEnded: before.hasEnded || isEnd,
      isDone: isEnd,
    };
    return { state, events: withStart(events, before.hasStarted, { id: textOf(json.message_id) }) };
  },
};
