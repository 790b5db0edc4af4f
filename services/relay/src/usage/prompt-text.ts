import { type Json, type JsonObject, lengthOf, wordsOf } from '@tollgate/providers';

const MAX_CHARACTERS = 1024 * 1024;
const PROMPT_MEMBERS = [
  ...['system', 'messages', 'input', 'prompt', 'suffix', 'instruction', 'instructions', 'query', 'documents'],
  ...['tools', 'functions', 'response_format', 'prediction', 'text', 'content', 'requests'],
  ...['contents', 'systemInstruction', 'system_instruction', 'generationConfig', 'generation_config'],
  ...['message', 'chat_history', 'preamble'],
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

/** The words of some values without inlined media, at most 1 MiB of them. */
export class PromptWords {
  readonly parts: string[] = [];
  private left = MAX_CHARACTERS;

  /** `name`: of the member whose value it is. */
  add(value: Json | undefined, name = '', depth = 0): void {
    if (this.left <= 0 || depth > 16 || value === undefined || value === null) return;
    if (typeof value === 'string') this.addText(value, name);
    else if (Array.isArray(value)) for (const item of value) this.add(item, name, depth + 1);
    else if (typeof value === 'object') this.addObject(value, depth);
    else this.parts.push(String(value));
  }

  /** What such a request has beside the members that were added already. */
  addMembers(json: JsonObject, without: readonly string[] = []): void {
    for (const name of PROMPT_MEMBERS) if (!without.includes(name)) this.add(promptMember(json, name), name);
  }

  private addText(value: string, name: string): void {
    if (DATA_MEMBERS.has(name) && value.startsWith('data:')) return;
    this.parts.push(value.slice(0, this.left));
    this.left -= value.length;
  }

  private addObject(value: JsonObject, depth: number): void {
    const type = typeof value.type === 'string' ? value.type : '';
    const media = Object.hasOwn(MEDIA_MEMBERS, type)
      ? (MEDIA_MEMBERS[type] ?? [])
      : isGeminiData(value)
        ? ['data']
        : [];
    for (const [name, member] of Object.entries(value))
      if (name !== 'type' && !media.includes(name)) this.add(member, name, depth + 1);
  }
}

/** A member of a request without what is beyond any count. */
export const promptMember = (json: JsonObject, name: string): Json | undefined => wordsOf(json, name, MAX_CHARACTERS);

/** All text of a request that a model reads, whatever the dialect, without inlined media; at most 1 MiB. */
export function promptText(json: JsonObject, glue = '\n'): string {
  const words = new PromptWords();
  words.addMembers(json);
  return words.parts.join(glue);
}
