import type { ChannelTarget, JsonObject } from '../adapter.js';
import { RequestRejected } from '../adapter.js';
import { callId, pairCalls } from '../conversation/call-ids.js';
import type {
  Conversation,
  MediaPart,
  Part,
  TextPart,
  Tool,
  ToolCallPart,
  ToolResultPart,
  Turn,
} from '../conversation/conversation.js';
import { callsIn, refusePart, stated, UNTYPED } from '../conversation/conversation.js';
import { encodedPictureType } from '../json/picture-type.js';
import { type GoogleTool, googleToolsAmong, isGoogleTool } from '../request/google-tools.js';
import { parseObject, parseStructure } from '../json/json.js';
import { budgetWithin, safetySettings, upstreamModel } from './settings.js';
import { cleanSchema, type Room, roomForDefinitions } from './write-schema.js';

/** Gemini refuses a turn without content. */
const PLACEHOLDER = '...';
/** Google's documented signature for calls and pictures whose own one is not known; models that demand thought signatures accept it. */
const NO_SIGNATURE = 'skip_thought_signature_validator';

const refuse = (message: string): never => {
  throw new RequestRejected('invalid_text_request', message);
};

const TYPES: Readonly<Record<string, string>> = {
  ...{ png: 'image/png', webp: 'image/webp', gif: 'image/gif', pdf: 'application/pdf', mp4: 'video/mp4' },
  ...{ mp3: 'audio/mp3', wav: 'audio/wav', txt: 'text/plain' },
};

/** The usual MIME type of each kind of media. */
const USUAL: Readonly<Record<MediaPart['type'], string>> = {
  ...{ image: 'image/jpeg', file: 'application/pdf', video: 'video/mp4', audio: 'audio/mp3' },
};

/** The MIME type by the URL's extension, which Gemini requires; without a known one the usual type is assumed. */
const typeOfAddress = (url: string, type: MediaPart['type']): string =>
  TYPES[/\.(\w+)(?:[?#]|$)/.exec(url)?.[1]?.toLowerCase() ?? ''] ?? USUAL[type];

function mediaPart(part: MediaPart): JsonObject {
  const { source, type } = part;
  if ('data' in source) {
    const { data, mimeType: named } = source;
    const mimeType = type === 'image' ? encodedPictureType(data, named) : named;
    return mimeType === '' ? refusePart(part, UNTYPED) : { inlineData: { mimeType, data } };
  }
  if (!/^(https?|gs):\/\//.test(source.url))
    return refusePart(
      part,
      type === 'image'
        ? 'image_url must be an http(s) address or a base64 data URI'
        : 'only base64 file is supported in gemini',
    );
  return { fileData: { mimeType: source.mimeType ?? typeOfAddress(source.url, type), fileUri: source.url } };
}

const contentPart = (part: TextPart | MediaPart): JsonObject =>
  part.type === 'text' ? { text: part.text } : mediaPart(part);

/**
 * A tool result, parsed if it is a JSON object or list; a number stays text, so that all its digits arrive. Pictures, which a result cannot
 * hold, follow as parts of their own.
 */
function resultParts({ name, content }: ToolResultPart): JsonObject[] {
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
  const response = { name, content: parseStructure(text) ?? text };
  const media = content.filter((part): part is MediaPart => part.type !== 'text');
  return [{ functionResponse: { name, response } }, ...media.map(mediaPart)];
}

function callPart(part: Part & { type: 'tool-call' }, wantsProof: boolean): JsonObject {
  const args = parseObject(part.arguments || '{}');
  if (!args) return refuse(`the arguments of the call of ${part.name} are no JSON object`);
  const signature = part.signature ?? (wantsProof ? NO_SIGNATURE : undefined);
  return { functionCall: { name: part.name, args }, ...(signature && { thoughtSignature: signature }) };
}

/** `wantsProof`: the part is the model's own, and must have a signature. */
function partsOf(part: Part, wantsProof: boolean): JsonObject[] {
  switch (part.type) {
    case 'thinking':
      return [];
    case 'tool-call':
      return [callPart(part, wantsProof)];
    case 'tool-result':
      return resultParts(part);
    case 'text':
      return part.text === '' ? [] : [contentPart(part)];
    case 'image':
      return [{ ...mediaPart(part), ...(wantsProof && { thoughtSignature: NO_SIGNATURE }) }];
    default:
      return [contentPart(part)];
  }
}

const checkImages = (parts: Part[], max: number | undefined): void => {
  if (max !== undefined && parts.filter(({ type }) => type === 'image').length > max)
    refuse(`too many images in the message, max allowed is ${max}`);
};

/** Merges consecutive turns of one role, so that the results of parallel calls are in one turn. */
function mergedTurns(turns: Turn[]): Turn[] {
  const merged: Turn[] = [];
  for (const { role, parts } of turns) {
    const last = merged.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else merged.push({ role, parts: [...parts] });
  }
  return merged;
}

/** The parts with their results in the order of the calls: Gemini has no ids and pairs results of one function by their place. */
function inOrderOf(calls: ToolCallPart[], parts: Part[]): Part[] {
  const places = new Map(calls.map(({ id }, place) => [id, place]));
  const placeOf = ({ callId: id }: ToolResultPart): number => places.get(id) ?? calls.length;
  const results = parts
    .filter((part): part is ToolResultPart => part.type === 'tool-result')
    .sort((one, other) => placeOf(one) - placeOf(other))
    .values();
  return parts.map((part) => (part.type === 'tool-result' ? (results.next().value ?? part) : part));
}

function contentsOf(turns: Turn[], target: ChannelTarget): JsonObject[] {
  for (const { parts } of turns) checkImages(parts, target.settings.gemini.maxImages);
  const wantsProof = /gemini-[3-9]/.test(target.model);
  const merged = mergedTurns(pairCalls(turns, callId));
  return merged.map(({ role, parts }, index) => {
    const written = inOrderOf(callsIn(merged[index - 1]?.parts ?? []), parts).flatMap((part) =>
      partsOf(part, wantsProof && role === 'assistant'),
    );
    return {
      role: role === 'assistant' ? 'model' : 'user',
      parts: written.length > 0 ? written : [{ text: PLACEHOLDER }],
    };
  });
}

function declarationOf({ name, description, parameters }: Tool, room: Room): JsonObject {
  const schema = parameters && cleanSchema(parameters, room);
  const hasParameters = schema && Object.keys((schema.properties ?? {}) as object).length > 0;
  return stated<JsonObject>({ name, description, parameters: hasParameters ? schema : undefined });
}

const MODES = { auto: 'AUTO', none: 'NONE', any: 'ANY', tool: 'ANY' } as const;

/** Google's own tools, which chat clients request as functions with certain names. Google's `NONE` applies to functions only. */
const builtIn = ({ tools, toolChoice }: Conversation): GoogleTool[] =>
  toolChoice?.type === 'none' ? [] : googleToolsAmong(tools.map(({ name }) => name));

/** Tool members; Google's own tools cannot be forced. */
function toolMembers(conversation: Conversation, room: Room): JsonObject {
  const { tools, toolChoice } = conversation;
  const own = tools.filter(({ name }) => !isGoogleTool(name));
  const built = builtIn(conversation);
  if (own.length + built.length === 0) return {};
  const isChoice = own.length > 0 && !(toolChoice?.type === 'tool' && isGoogleTool(toolChoice.name ?? ''));
  return {
    tools: [
      ...built.map((name) => ({ [name]: {} })),
      ...(own.length > 0 ? [{ functionDeclarations: own.map((tool) => declarationOf(tool, room)) }] : []),
    ],
    ...(isChoice &&
      toolChoice && {
        toolConfig: {
          functionCallingConfig: {
            mode: MODES[toolChoice.type],
            ...(toolChoice.type === 'tool' && { allowedFunctionNames: [toolChoice.name ?? ''] }),
          },
        },
      }),
  };
}

/** The thinking budget stated by the client, within the limits of the model; only model families that think accept it. */
function thinkingConfig({ thinking }: Conversation, model: string): JsonObject | undefined {
  const budget = thinking?.type === 'enabled' ? thinking.budget_tokens : undefined;
  if (typeof budget !== 'number' || !/gemini-(2\.5|[3-9])/.test(model)) return undefined;
  return { thinkingBudget: budgetWithin(model, budget), includeThoughts: true };
}

function generationConfig(conversation: Conversation, target: ChannelTarget, room: Room): JsonObject {
  const { sampling, json } = conversation;
  const { stop, choices, ...rest } = sampling;
  const draws = target.settings.gemini.imageModels.includes(upstreamModel(target));
  return stated<JsonObject>({
    ...rest,
    candidateCount: choices,
    stopSequences: stop.length > 0 ? stop : undefined,
    maxOutputTokens: conversation.maxTokens,
    responseMimeType: json && 'application/json',
    responseSchema: json?.schema && cleanSchema(json.schema, room),
    responseModalities: draws ? ['TEXT', 'IMAGE'] : undefined,
    thinkingConfig: thinkingConfig(conversation, target.model),
  });
}

/** Writes a body of `:generateContent`. Throws `RequestRejected` for what Gemini does not support. */
export function writeGeminiRequest(conversation: Conversation, target: ChannelTarget): JsonObject {
  const system = conversation.system.map(({ text }) => text).join('\n');
  const contents = contentsOf(conversation.turns, target);
  const room = roomForDefinitions();
  const config = generationConfig(conversation, target, room);
  return {
    contents: contents.length > 0 ? contents : [{ role: 'user', parts: [{ text: PLACEHOLDER }] }],
    ...(system && { systemInstruction: { parts: [{ text: system }] } }),
    safetySettings: safetySettings(target),
    ...(Object.keys(config).length > 0 && { generationConfig: config }),
    ...toolMembers(conversation, room),
  };
}
