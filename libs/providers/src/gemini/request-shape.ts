import type { Json } from '../adapter.js';
import {
  anyObject,
  body,
  flag,
  isAnything,
  list,
  members,
  number,
  required,
  type Shape,
  text,
  unsayable,
  wantsMoreThanText,
  word,
} from '../conversation/shapes.js';
import { snakeCase } from './fields.js';

/** Google reads every name in both of its spellings. */
const spelt = (shapes: Readonly<Record<string, Shape>>): Readonly<Record<string, Shape>> =>
  Object.fromEntries(
    Object.entries(shapes).flatMap(([name, shape]) => [...new Set([name, snakeCase(name)])].map((one) => [one, shape])),
  );

const both = (shapes: Readonly<Record<string, Shape>>): Shape => members(spelt(shapes));

const part = both({
  text,
  thought: flag,
  inlineData: both({ mimeType: text, data: required(text) }),
  fileData: both({ mimeType: text, fileUri: text }),
  functionCall: members({ name: required(text), args: anyObject }),
  functionResponse: members({ name: required(text), response: anyObject }),
});

/** A turn without parts says nothing, and must not pass for one that does. */
const content = members({
  role: (value: Json | undefined, at: string) =>
    value === '' ? undefined : word('user', 'model', 'function')(value, at),
  parts: required(list(part)),
});

const config = both({
  temperature: number,
  topP: number,
  topK: number,
  seed: number,
  presencePenalty: number,
  frequencyPenalty: number,
  stopSequences: list(text),
  responseMimeType: text,
  responseSchema: anyObject,
  responseJsonSchema: anyObject,
  thinkingConfig: anyObject,
  responseLogprobs: unsayable(isAnything),
  logprobs: unsayable(isAnything),
  responseModalities: unsayable(wantsMoreThanText),
});

/** What a request of Gemini's dialect that is written anew must look like. */
export const geminiShape = body(
  spelt({
    contents: list(content),
    systemInstruction: members({ parts: required(list(part)) }),
    tools: list(both({ functionDeclarations: list(members({ name: required(text) })) })),
    toolConfig: anyObject,
    generationConfig: config,
  }),
);
