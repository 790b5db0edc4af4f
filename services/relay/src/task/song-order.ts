import { type JsonObject, taskIdOf } from '@tollgate/providers';
import { misfit, SONG_FIELDS } from './field-types.js';
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

const MODELS: Record<SongOrder['action'], string> = { MUSIC: 'suno_music', LYRICS: 'suno_lyrics' };
const isAction = (action: string): action is SongOrder['action'] => Object.hasOwn(MODELS, action);

/** The model of `POST /suno/submit/<path>`; `undefined` for an unknown action. */
export function songModel(path: string): string | undefined {
  const action = path.toUpperCase();
  return isAction(action) ? MODELS[action] : undefined;
}

const DEFAULT_VERSION = 'chirp-v3-0';
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Parses the body of `POST /suno/submit/<action>`; throws the documented fault of its fields. */
export function readSongOrder(path: string, body: JsonObject): SongOrder {
  const action = path.toUpperCase();
  if (!isAction(action)) throw songFault('invalid_request', 'invalid_action');
  const wrong = misfit(body, SONG_FIELDS);
  if (wrong !== undefined) throw songFault('invalid_request', `field ${wrong} is invalid`);
  const model = MODELS[action];
  const prompt = text(body.prompt) || text(body.gpt_description_prompt);
  if (action === 'LYRICS') {
    if (text(body.prompt) === '') throw songFault('invalid_request', 'prompt_empty');
    return { action, model, prompt, body };
  }
  const versioned = { ...body, mv: text(body.mv) || DEFAULT_VERSION };
  if (text(body.continue_clip_id) === '') return { action, model, prompt, body: versioned };
  const originId = taskIdOf(body.task_id);
  if (originId === '') throw songFault('invalid_request', 'task id is empty');
  return { action, model, prompt, originId, body: versioned };
}
