import type { TaskPlatform } from '@tollgate/contracts';
import { isPlainObject, type Json, type JsonObject, lengthOf, wordsOf } from '@tollgate/providers';

/** How much of a request is read. */
interface WordLimits {
  characters: number;
  depth: number;
}

/** Counting is an estimate, so it stops where it would take long. */
const COUNTED: WordLimits = { characters: 1024 * 1024, depth: 16 };
/** A check must read everything. The size of a body and the depth of its JSON are bounded where it is received. */
const EVERYTHING: WordLimits = { characters: Infinity, depth: Infinity };
const PROMPT_MEMBERS = [
  ...['system', 'messages', 'input', 'prompt', 'suffix', 'instruction', 'instructions', 'query', 'documents'],
  ...['tools', 'functions', 'response_format', 'prediction', 'text', 'content', 'requests'],
  ...['contents', 'systemInstruction', 'system_instruction', 'generationConfig', 'generation_config'],
  ...['message', 'chat_history', 'preamble'],
];
/** The text of a submission of a drawing. Its other members are pictures, names and addresses. */
const DRAWING_TEXTS = ['prompt'];
/** The members of a submission of a song that are no text. A proxy may read any other one, such as `negative_tags`. */
const NO_SONG_TEXTS = new Set(['mv', 'task_id', 'continue_clip_id', 'notify_hook']);
/** The members that hold the media of each type of message part or item; all other members are text. */
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
  image_generation_call: ['result'],
  // The source of a document.
  base64: ['data'],
};
/** Members that may hold data URLs. In other members a text that begins with `data:` is just text. */
const DATA_MEMBERS = new Set(['url', 'image_url', 'file_data', 'data', 'b64_json']);

/**
 * Whether an object is Gemini's inlined media, truncated or complete. Anything that is not base64 is text, whatever it
 * is named.
 */
const isGeminiData = ({ data, mimeType, mime_type: snake }: JsonObject): boolean =>
  typeof data === 'string' &&
  typeof (mimeType ?? snake) === 'string' &&
  (lengthOf(data) !== data.length || /^[\w+/=-]*$/.test(data));

/** What Google's models read of each text to embed: its parts and its title. Model and kind of task are no text. */
const textsOf = (requests: Json | undefined): Json | undefined =>
  Array.isArray(requests)
    ? requests.map((item) => {
        if (!isPlainObject(item)) return item;
        const { content = null, title = null } = item;
        return [isPlainObject(content) ? (content.parts ?? null) : content, title];
      })
    : requests;

/** The words of some values without inlined media, within limits. */
export class PromptWords {
  readonly parts: string[] = [];
  private left: number;

  constructor(private readonly limits = COUNTED) {
    this.left = limits.characters;
  }

  /** Adds the words of a value; `name` is the member that holds it. */
  add(value: Json | undefined, name = '', depth = 0): void {
    if (this.left <= 0 || depth > this.limits.depth || value === undefined || value === null) return;
    if (typeof value === 'string') this.addText(value, name);
    else if (Array.isArray(value)) for (const item of value) this.add(item, name, depth + 1);
    else if (typeof value === 'object') this.addObject(value, depth);
    else this.parts.push(String(value));
  }

  /** Adds all prompt members of the request except those in `without`. */
  addMembers(json: JsonObject, without: readonly string[] = []): void {
    for (const name of PROMPT_MEMBERS) {
      if (without.includes(name)) continue;
      const words = wordsOf(json, name, this.limits.characters);
      this.add(name === 'requests' ? textsOf(words) : words, name);
    }
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

/** A member of a request, cut to the length that is counted at most. */
export const promptMember = (json: JsonObject, name: string): Json | undefined =>
  wordsOf(json, name, COUNTED.characters);

/** The text of a request that a model reads, in any dialect, without inlined media; as much as is counted. */
export const promptText = (json: JsonObject, glue = '\n'): string => textWithin(COUNTED, json, glue);

/** As `promptText`, but all of it. */
export const wholePromptText = (json: JsonObject): string => textWithin(EVERYTHING, json, '\n');

/** All text of a submission of a drawing or song. */
export function taskText(platform: TaskPlatform, json: JsonObject): string {
  const words = new PromptWords(EVERYTHING);
  const names = platform === 'suno' ? Object.keys(json).filter((name) => !NO_SONG_TEXTS.has(name)) : DRAWING_TEXTS;
  for (const name of names) words.add(json[name], name);
  return words.parts.join('\n');
}

function textWithin(limits: WordLimits, json: JsonObject, glue: string): string {
  const words = new PromptWords(limits);
  words.addMembers(json);
  return words.parts.join(glue);
}
