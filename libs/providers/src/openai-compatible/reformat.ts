import type { Usage } from '@tollgate/contracts';
import type { JsonObject, ReplyContext } from '../adapter.js';
import { CLOSE_THOUGHT, OPEN_THOUGHT } from '../conversation/thoughts.js';
import { arrayOf, isObject, objectOf, textOf } from '../json/json.js';
import { ChoiceEnds } from '../stream/choice-ends.js';
import { NewText } from '../stream/new-text.js';
import type { FoldState, StreamFold } from '../stream/stream-fold.js';
import { beforeFirstEvent, dataFrame } from '../stream/stream-fold.js';
import { appendText } from '../stream/transcript.js';
import type { UsageQuirks } from '../usage.js';
import { laterUsage, openAiUsage, toOpenAiUsage } from '../usage.js';
import { readOpenAiEvent, readOpenAiPart } from './parts.js';
import { standardMembers } from './standard-choices.js';

interface State extends FoldState {
  id: string;
  model: string;
  usageWasSent: boolean;
  /** For `thinking_to_content`: the answers with an open think tag. One mutable object for the whole stream. */
  thinking: Set<number>;
  /** As `thinking`. */
  ends: ChoiceEnds;
  /** As `thinking`. */
  newText: NewText;
}

const CHUNK_MEMBERS = ['id', 'object', 'created', 'model', 'system_fingerprint', 'choices', 'usage'];

export const ownIdOf = ({ requestId }: Pick<ReplyContext, 'requestId'>): string => `chatcmpl-${requestId}`;

/** Only the members of a standard chunk, for clients that fail on others. */
const standardChunk = (json: JsonObject, { nowSeconds, requestId, model }: ReplyContext): JsonObject => ({
  id: ownIdOf({ requestId }),
  created: nowSeconds,
  model,
  ...standardMembers(json, CHUNK_MEMBERS),
  object: json.object === 'text_completion' ? json.object : 'chat.completion.chunk',
});

/** Whether a choice has more than reasoning, after which the think tag is closed. */
const goesOnAfterThought = (
  { finish_reason: finish }: JsonObject,
  { content, tool_calls: calls }: JsonObject,
): boolean => textOf(content) !== '' || Array.isArray(calls) || textOf(finish) !== '';

/**
 * Moves the reasoning of a chunk with one choice into the content, between think tags; the closing tag is a chunk of its own. A chunk that
 * also has content, calls or a finish reason is split into several, and its usage goes with the last one.
 */
function thinkingAsContent(json: JsonObject, choice: JsonObject, thinking: Set<number>): JsonObject[] {
  const { reasoning_content: long, reasoning: short, ...delta } = objectOf(choice.delta);
  const thought = textOf(long) || textOf(short);
  const index = Number(choice.index ?? 0);
  const isThinking = thinking.has(index);
  const withDelta = (next: JsonObject): JsonObject => ({ ...json, choices: [{ ...choice, delta: next }] });
  const before = (next: JsonObject): JsonObject => ({
    ...json,
    choices: [{ ...choice, finish_reason: null, delta: next }],
    usage: undefined,
  });
  const goesOn = goesOnAfterThought(choice, delta);
  const content = (isThinking ? '' : OPEN_THOUGHT) + thought;
  if (thought && !goesOn) {
    thinking.add(index);
    return [withDelta({ ...delta, content })];
  }
  const closing = before({ content: CLOSE_THOUGHT });
  if (goesOn) thinking.delete(index);
  if (thought) {
    const { role, ...rest } = delta;
    return [before({ ...(role !== undefined && { role }), content }), closing, withDelta(rest)];
  }
  if (isThinking && goesOn) return [closing, withDelta(delta)];
  return [choice.delta === undefined ? { ...json, choices: [choice] } : withDelta(delta)];
}

/** The chunks for the client made of one upstream chunk. Where reasoning is moved, each has one choice, as almost all upstreams send them. */
function reshape(json: JsonObject, context: ReplyContext, thinking: Set<number>): JsonObject[] {
  const shaped = context.setting.force_format ? standardChunk(json, context) : json;
  const choices = arrayOf(shaped.choices);
  if (context.setting.thinking_to_content !== true || choices.length === 0 || !choices.every(isObject)) return [shaped];
  const last = choices.length - 1;
  return choices.flatMap((choice, at) =>
    thinkingAsContent(at === last ? shaped : { ...shaped, usage: undefined }, choice, thinking),
  );
}

function readChunk(state: State, json: JsonObject, usage: Usage | undefined): State {
  const part = readOpenAiPart(json);
  state.ends.add(part);
  return {
    ...state,
    usage: laterUsage(usage, state.usage),
    hasEnded: state.ends.areAll,
    content: appendText(state.content, state.newText.of(part), part.toolCalls),
    id: state.id || (part.id ?? ''),
    model: state.model || (part.model ?? ''),
  };
}

/** Rewrites OpenAI chunks one by one, for the settings `force_format` and `thinking_to_content` and for replies with our own ids. */
export const reformatFold = (quirks: UsageQuirks, ownIds = false): StreamFold<State> => ({
  clientDialect: 'openai',

  initialState: () => ({
    ...beforeFirstEvent,
    ...{ id: '', model: '', usageWasSent: false },
    ...{ thinking: new Set<number>(), ends: new ChoiceEnds(), newText: new NewText() },
  }),

  fromStreamEvent(state, event, context) {
    const { json: readJson, ...read } = readOpenAiEvent(state, event, context);
    if (!readJson) return { state: read.state, frames: [] };
    const json = ownIds ? { ...readJson, id: ownIdOf(context) } : readJson;
    const usage = openAiUsage(json.usage, quirks);
    const next = readChunk(state, json, usage);
    if (usage && arrayOf(json.choices).length === 0 && !context.includeUsage) return { state: next, frames: [] };
    const usageWasSent = state.usageWasSent || usage !== undefined;
    return { state: { ...next, usageWasSent }, frames: reshape(json, context, state.thinking).map(dataFrame) };
  },

  lastFrames(state, { includeUsage, nowSeconds, requestId, model }, usage) {
    const done = 'data: [DONE]\n\n';
    if (!includeUsage || state.usageWasSent || !usage) return [done];
    const id = state.id || ownIdOf({ requestId });
    const chunk = {
      id,
      object: 'chat.completion.chunk',
      created: nowSeconds,
      model: state.model || model,
      choices: [],
    };
    return [dataFrame({ ...chunk, usage: toOpenAiUsage(usage) }), done];
  },
});
