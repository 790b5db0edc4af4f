import type { Json, JsonObject } from '../adapter.js';
import {
  anyObject,
  both as all,
  body,
  expected,
  filled,
  flag,
  isAnything,
  limit,
  list,
  members,
  missing,
  number,
  present,
  required,
  type Shape,
  text,
  unsayable,
  unsupported,
  wantsMoreThanText,
  wholeFrom,
  word,
} from '../conversation/shapes.js';
import { isObject, objectOf, snakeCase } from '../json/json.js';
import { field, spellingOf, textAt } from './fields.js';

/** The shapes under both spellings of their names, which Google accepts. */
const spelt = (shapes: Readonly<Record<string, Shape>>): Readonly<Record<string, Shape>> =>
  Object.fromEntries(
    Object.entries(shapes).flatMap(([name, shape]) => [...new Set([name, snakeCase(name)])].map((one) => [one, shape])),
  );

const both = (shapes: Readonly<Record<string, Shape>>): Shape => members(spelt(shapes));

/** The refusal names the member in the spelling that the client used. */
const fileShape: Shape = (value, at) =>
  both({ mimeType: text, fileUri: text })(value, at) ??
  (isObject(value) && textAt(value, 'fileUri') === '' ? missing(`${at}.${spellingOf(value, 'fileUri')}`) : undefined);

/** A part has exactly one of these members; its other members qualify it. */
const KINDS = [
  'text',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
  'executableCode',
  'codeExecutionResult',
];
const SAYABLE = new Set(KINDS.slice(0, -2));

/** An empty text beside another kind is ignored. */
function kindsIn(part: JsonObject): string[] {
  const found = KINDS.filter((kind) => (field(part, kind) ?? null) !== null);
  return found.length > 1 && part.text === '' ? found.filter((kind) => kind !== 'text') : found;
}

const oneKind: Shape = (value, at) => {
  const kinds = kindsIn(objectOf(value));
  if (kinds.length > 1) return expected(`one of ${kinds.join(', ')}`, at);
  const [only] = kinds;
  if (only !== undefined && SAYABLE.has(only)) return undefined;
  return unsupported(at, ` with ${only ?? Object.keys(objectOf(value))[0] ?? 'nothing in it'}`);
};

const mediaShapes = { inlineData: both({ mimeType: text, data: required(text) }), fileData: fileShape };

const mediaPart: Shape = (value, at) => {
  const isMedia = Object.keys(mediaShapes).some((kind) => isObject(field(objectOf(value), kind)));
  return isMedia ? both(mediaShapes)(value, at) : expected(`one of ${Object.keys(mediaShapes).join(', ')}`, at);
};

const partMembers = both({
  text,
  thought: flag,
  ...mediaShapes,
  functionCall: members({ name: required(text), args: anyObject }),
  functionResponse: members({ name: required(text), response: anyObject, parts: list(mediaPart) }),
});
const part = all(partMembers, oneKind);

/** A turn must have parts; without any it would silently be dropped. */
const content = all(
  members({
    role: (value: Json | undefined, at: string) =>
      value === '' ? undefined : word('user', 'model', 'function')(value, at),
    parts: required(list(part)),
  }),
  (value, at) => (objectOf(value).role === 'model' ? undefined : members({ parts: filled })(value, at)),
);

const mode: Shape = (value, at) =>
  word(
    'AUTO',
    'NONE',
    'ANY',
    'VALIDATED',
    'MODE_UNSPECIFIED',
  )(typeof value === 'string' ? value.toUpperCase() : value, at);

const thinkingLevel: Shape = (value, at) =>
  word(
    'MINIMAL',
    'LOW',
    'MEDIUM',
    'HIGH',
    'THINKING_LEVEL_UNSPECIFIED',
  )(typeof value === 'string' ? value.toUpperCase() : value, at);

const config = both({
  temperature: number,
  topP: number,
  topK: number,
  seed: number,
  presencePenalty: number,
  frequencyPenalty: number,
  stopSequences: list(text),
  maxOutputTokens: limit,
  responseMimeType: word('text/plain', 'application/json'),
  responseSchema: anyObject,
  responseJsonSchema: anyObject,
  thinkingConfig: both({ thinkingBudget: wholeFrom(-1), thinkingLevel, includeThoughts: flag }),
  responseLogprobs: unsayable(isAnything),
  logprobs: unsayable(isAnything),
  responseModalities: unsayable(wantsMoreThanText),
});

/** Refuses tools that only Google could run; functions are run by the client. */
const toolShape = both({
  functionDeclarations: list(members({ name: required(text) })),
  computerUse: unsayable(() => true),
  googleSearch: unsayable(() => true),
  codeExecution: unsayable(() => true),
});

/** Checks a request in Gemini's dialect before it is converted to another dialect. */
export const geminiShape = body(
  spelt({
    contents: list(content),
    systemInstruction: members({ parts: required(list(members({ text: present(text) }))) }),
    tools: list(toolShape),
    toolConfig: both({ functionCallingConfig: both({ mode, allowedFunctionNames: list(text) }) }),
    generationConfig: config,
  }),
);
