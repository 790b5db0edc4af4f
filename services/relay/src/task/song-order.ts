import { type JsonObject, taskIdOf } from '@tollgate/providers';
import { songFault } from './task-fault.js';

export interface SongOrder {
  action: 'MUSIC' | 'LYRICS';
  model: string;
  prompt: string;
  /** The song whose clip is continued, on the same channel. */
  originId?: string;
  /** The body for the upstream. */
  body: JsonObject;
}

const DEFAULT_VERSION = 'chirp-v3-0';
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Parses the body of `POST /suno/submit/<action>`; throws the documented fault of its fields. */
export function readSongOrder(path: string, body: JsonObject): SongOrder {
  const action = path.toUpperCase();
  if (action !== 'MUSIC' && action !== 'LYRICS') throw songFault('invalid_request', 'invalid_action');
  const prompt = text(body.prompt) || text(body.gpt_description_prompt);
  if (action === 'LYRICS') {
    if (text(body.prompt) === '') throw songFault('invalid_request', 'prompt_empty');
    return { action, model: 'suno_lyrics', prompt, body };
  }
  const versioned = { ...body, mv: text(body.mv) || DEFAULT_VERSION };
  if (text(body.continue_clip_id) === '') return { action, model: 'suno_music', prompt, body: versioned };
  const originId = taskIdOf(body.task_id);
  if (originId === '') throw songFault('invalid_request', 'task id is empty');
  return { action, model: 'suno_music', prompt, originId, body: versioned };
}
