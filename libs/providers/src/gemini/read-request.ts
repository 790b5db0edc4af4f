import type { ChannelTarget, ClientRequest, JsonObject } from '../adapter.js';
import type { Conversation, MediaPart, Part, Tool, Turn } from '../conversation/conversation.js';
import { isText, numberOf, stated } from '../conversation/conversation.js';
import { arrayOf, isObject, objectOf, textOf } from '../json/json.js';
import { field, listAt, objectAt, textAt } from './fields.js';
import { jsonSchemaOf } from './read-schema.js';

const kindOf = (mimeType: string): MediaPart['type'] => {
  const [kind = ''] = mimeType.split('/');
  return kind === 'image' || kind === 'audio' || kind === 'video' ? kind : 'file';
};

function inlinePart(inline: JsonObject, at: string): MediaPart {
  const mimeType = textAt(inline, 'mimeType');
  return { type: kindOf(mimeType), source: { mimeType, data: textOf(inline.data) }, at };
}

function filePart(file: JsonObject, at: string): MediaPart {
  const mimeType = textAt(file, 'mimeType');
  return { type: kindOf(mimeType), source: { url: textAt(file, 'fileUri'), ...(mimeType && { mimeType }) }, at };
}

/**
 * The text of a function response. An object with only a text under one of these names stands for that text; some clients repeat the
 * function's name beside it.
 */
function resultText(response: JsonObject, functionName: string): string {
  const { name, ...rest } = response;
  const said = name === functionName ? rest : response;
  const [only] = Object.entries(said);
  const isPlain = Object.keys(said).length === 1 && only && ['content', 'output', 'result'].includes(only[0]);
  if (!isPlain || only[1] === undefined) return JSON.stringify(response);
  return typeof only[1] === 'string' ? only[1] : JSON.stringify(only[1]);
}

export function callPart(part: JsonObject): Part {
  const call = objectAt(part, 'functionCall');
  const signature = textAt(part, 'thoughtSignature');
  return {
    type: 'tool-call',
    id: textOf(call.id),
    name: textOf(call.name),
    arguments: JSON.stringify(call.args ?? {}),
    ...(signature && { signature }),
  };
}

function mediaOf(part: JsonObject, at: string): MediaPart | undefined {
  if (isObject(field(part, 'inlineData'))) return inlinePart(objectAt(part, 'inlineData'), at);
  return isObject(field(part, 'fileData')) ? filePart(objectAt(part, 'fileData'), at) : undefined;
}

function resultPart(result: JsonObject, at: string): Part {
  const name = textOf(result.name);
  const media = listAt(result, 'parts').flatMap(
    (part, index) => mediaOf(part, `${at}.functionResponse.parts.${index}`) ?? [],
  );
  const text = { type: 'text' as const, text: resultText(objectOf(result.response), name) };
  return { type: 'tool-result', callId: textOf(result.id), name, content: [text, ...media], at };
}

function partOf(part: JsonObject, at: string): Part {
  const media = mediaOf(part, at);
  if (media) return media;
  if (isObject(field(part, 'functionCall'))) return callPart(part);
  if (isObject(field(part, 'functionResponse'))) return resultPart(objectAt(part, 'functionResponse'), at);
  return { type: part.thought === true ? 'thinking' : 'text', text: textOf(part.text) };
}

const partsOf = (content: JsonObject, at: string): Part[] =>
  listAt(content, 'parts').map((part, index) => partOf(part, `${at}.parts.${index}`));

const turnOf = (content: JsonObject, index: number): Turn => ({
  role: content.role === 'model' ? 'assistant' : 'user',
  parts: partsOf(content, `contents.${index}`),
});

/** A schema in Google's own form, or in JSON Schema under its separate member. */
function schemaAt(json: JsonObject, own: string, jsonSchema: string): JsonObject | undefined {
  const plain = field(json, jsonSchema);
  if (isObject(plain)) return plain;
  const schema = field(json, own);
  return isObject(schema) ? jsonSchemaOf(schema) : undefined;
}

const toolOf = (declared: JsonObject): Tool =>
  stated({
    name: textOf(declared.name),
    description: declared.description,
    parameters: schemaAt(declared, 'parameters', 'parametersJsonSchema'),
  });

const MODES = { AUTO: 'auto', NONE: 'none', ANY: 'any', VALIDATED: 'auto' } as const;

/** The tools that may be called, and whether a call is required. Google restricts them by name in two modes only. */
function toolsOf(json: JsonObject): Pick<Conversation, 'tools' | 'toolChoice'> {
  const declared = listAt(json, 'tools').flatMap((tool) => listAt(tool, 'functionDeclarations'));
  const tools = declared.map(toolOf);
  const config = objectAt(objectAt(json, 'toolConfig'), 'functionCallingConfig');
  const mode = textOf(config.mode).toUpperCase();
  if (!Object.hasOwn(MODES, mode)) return { tools };
  const type = MODES[mode as keyof typeof MODES];
  const allowed = arrayOf(field(config, 'allowedFunctionNames')).map(textOf);
  const [only] = allowed;
  if (mode === 'ANY' && allowed.length === 1 && only) return { tools, toolChoice: { type: 'tool', name: only } };
  const isLimited = allowed.length > 0 && (mode === 'ANY' || mode === 'VALIDATED');
  return { tools: isLimited ? tools.filter(({ name }) => allowed.includes(name)) : tools, toolChoice: { type } };
}

function samplingOf(config: JsonObject): Conversation['sampling'] {
  const numberAt = (name: string): number | undefined => numberOf(field(config, name));
  return stated({
    temperature: numberAt('temperature'),
    topP: numberAt('topP'),
    topK: numberAt('topK'),
    seed: numberAt('seed'),
    presencePenalty: numberAt('presencePenalty'),
    frequencyPenalty: numberAt('frequencyPenalty'),
    choices: numberAt('candidateCount'),
    stop: arrayOf(field(config, 'stopSequences')).map(textOf),
  });
}

function jsonOf(config: JsonObject): Conversation['json'] {
  if (textAt(config, 'responseMimeType') !== 'application/json') return undefined;
  const schema = schemaAt(config, 'responseSchema', 'responseJsonSchema');
  return schema ? { schema } : {};
}

/** A budget of −1 or none at all lets the model decide. */
function thinkingOf(config: JsonObject): JsonObject | undefined {
  const budget = numberOf(field(objectAt(config, 'thinkingConfig'), 'thinkingBudget'));
  return budget !== undefined && budget > 0 ? { type: 'enabled', budget_tokens: budget } : undefined;
}

/** Reads a body of `:generateContent` or `:streamGenerateContent`; model and streaming are in the path. */
export function readGeminiRequest({ json, isStream }: ClientRequest, target: ChannelTarget): Conversation {
  const config = objectAt(json, 'generationConfig');
  return stated<Conversation>({
    model: target.requestedModel,
    system: partsOf(objectAt(json, 'systemInstruction'), 'systemInstruction').filter(isText),
    turns: listAt(json, 'contents').map(turnOf),
    ...toolsOf(json),
    sampling: samplingOf(config),
    maxTokens: numberOf(field(config, 'maxOutputTokens')) || undefined,
    thinking: thinkingOf(config),
    json: jsonOf(config),
    stream: isStream === true ? true : undefined,
  });
}
