import { type Json, type JsonObject, lengthOf, wordsOf } from '@tollgate/providers';

const MAX_CHARACTERS = 1024 * 1024;
const PROMPT_MEMBERS = [
  ...['system', 'messages', 'input', 'prompt', 'suffix', 'instruction', 'instructions', 'query', 'documents'],
  ...['tools', 'functions', 'response_format', 'prediction', 'text', 'content', 'requests'],
  ...['contents', 'systemInstruction', 'system_instruction', 'generationConfig', 'generation_config'],
];
/** Where the parts of a message that are no text keep what is seen or heard; whatever else they have is text. */
const MEDIA_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  image: ['source', 'image'],
  image_url: ['image_url'],
  input_image: ['image_url'],
  input_audio: ['input_audio'],
  audio_url: ['audio_url'],
  video_url: ['video_url'],
  video: ['video'],
  file: ['file'],
  input_file: ['file_data'],
  // The source of a document.
  base64: ['data'],
};
/** Data with a name that says so. Text may begin with `data:` like any other word. */
const DATA_MEMBERS = new Set(['url', 'image_url', 'file_data', 'data', 'b64_json']);

/** Gemini's media, cut or whole. What is no base64 is text, whatever it is called. */
const isGeminiData = ({ data, mimeType, mime_type: snake }: JsonObject): boolean =>
  typeof data === 'string' &&
  typeof (mimeType ?? snake) === 'string' &&
  (lengthOf(data) !== data.length || /^[\w+/=-]*$/.test(data));

/** All text of a request that a model reads, whatever the dialect, without inlined media; at most 1 MiB. */
export function promptText(json: JsonObject): string {
  const parts: string[] = [];
  let left = MAX_CHARACTERS;
  const visit = (value: Json | undefined, name: string, depth: number): void => {
    if (left <= 0 || depth > 16 || value === undefined || value === null) return;
    if (typeof value === 'string') {
      if (DATA_MEMBERS.has(name) && value.startsWith('data:')) return;
      parts.push(value.slice(0, left));
      left -= value.length;
    } else if (Array.isArray(value)) for (const item of value) visit(item, name, depth + 1);
    else if (typeof value === 'object') visitObject(value, depth);
    else parts.push(String(value));
  };
  const visitObject = (value: JsonObject, depth: number): void => {
    const type = typeof value.type === 'string' ? value.type : '';
    const media = Object.hasOwn(MEDIA_MEMBERS, type)
      ? (MEDIA_MEMBERS[type] ?? [])
      : isGeminiData(value)
        ? ['data']
        : [];
    for (const [name, member] of Object.entries(value))
      if (name !== 'type' && !media.includes(name)) visit(member, name, depth + 1);
  };
  for (const name of PROMPT_MEMBERS) visit(wordsOf(json, name, MAX_CHARACTERS), name, 0);
  return parts.join('\n');
}
