import type { JsonObject } from '../adapter.js';
import { isObject, textOf } from '../json/json.js';
import { wordsOf } from '../json/lazy-json.js';
import { field, listAt, objectAt, textAt } from './fields.js';

/** For a URL there is no data to measure. */
const NO_DATA = '';

/** A media part as chat clients write it; `undefined` for text. */
function mediaPart(part: JsonObject): JsonObject | undefined {
  const isInline = isObject(field(part, 'inlineData'));
  const isFile = isObject(field(part, 'fileData'));
  if (!isInline && !isFile) return undefined;
  const media = objectAt(part, isInline ? 'inlineData' : 'fileData');
  const data = isInline ? textOf(media.data) : NO_DATA;
  const [kind] = textAt(media, 'mimeType').split('/');
  if (kind === 'image') return { type: 'image', image: data };
  if (kind === 'audio') return { type: 'input_audio', input_audio: { data } };
  return kind === 'video' ? { type: 'video', video: data } : { type: 'input_file', file_data: data };
}

/** All parts, including the media in function responses. */
const contentOf = (content: JsonObject): JsonObject[] =>
  listAt(content, 'parts').flatMap((part): JsonObject[] => {
    const media = mediaPart(part);
    return media ? [media] : contentOf(objectAt(part, 'functionResponse'));
  });

const wordsAt = (json: JsonObject, name: string, spelling: string): JsonObject =>
  ({ value: wordsOf(json, name, 0) ?? wordsOf(json, spelling, 0) }) as JsonObject;

/**
 * The members of a Gemini request that bound its cost, under their names in chat: number of answers, their limit, media of the prompt, and
 * tools. Long texts are skipped.
 */
export function geminiBounds(json: JsonObject): JsonObject {
  const config = objectAt(json, 'generationConfig');
  const contents = listAt(wordsAt(json, 'contents', 'contents'), 'value');
  const system = objectAt(wordsAt(json, 'systemInstruction', 'system_instruction'), 'value');
  return {
    max_tokens: field(config, 'maxOutputTokens'),
    n: field(config, 'candidateCount'),
    messages: [...contents, system].map((content) => ({ content: contentOf(content) })),
    tools: json.tools,
  };
}
