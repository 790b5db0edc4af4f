import type { JsonObject } from '@tollgate/providers';
import { DRAWING_FIELDS, misfit } from './field-types.js';
import { drawingFault } from './task-fault.js';

/** What a submission requests, in whichever of the API's forms. */
export interface DrawingOrder {
  action: string;
  /** The model name for routing, limits and prices. */
  model: string;
  prompt: string;
  /** The drawing that this one continues, on the same channel. */
  originId?: string;
  /** Whether the original drawing must be finished, if the option demands it; not so for input in a dialog window. */
  needsFinished?: boolean;
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const asId = (value: unknown): string => (typeof value === 'number' ? String(value) : text(value));

export const FACE_SWAP_MODEL = 'swap_face';

/** `mj_imagine`, `mj_upload` and so on; a face swap has a name of its own. */
const drawingModel = (action: string): string =>
  action === 'SWAP_FACE' ? FACE_SWAP_MODEL : `mj_${action.toLowerCase()}`;

/** The actions of submissions whose path names them; the bodies of the others do. */
const ACTIONS = {
  imagine: 'IMAGINE',
  describe: 'DESCRIBE',
  blend: 'BLEND',
  shorten: 'SHORTEN',
  modal: 'MODAL',
  'upload-discord-images': 'UPLOAD',
} as const;

const isNamedByPath = (action: string): action is keyof typeof ACTIONS => Object.hasOwn(ACTIONS, action);

/** The model of `POST /mj/submit/<action>` as far as it is known before the body is read. */
export const drawingModelByPath = (action: string): string | undefined =>
  isNamedByPath(action) ? drawingModel(ACTIONS[action]) : undefined;

const order = (action: string, rest: Partial<DrawingOrder> = {}): DrawingOrder => ({
  action,
  model: drawingModel(action),
  prompt: '',
  ...rest,
});

const follow = (action: string, originId: string): DrawingOrder =>
  order(action, { originId, needsFinished: action !== ACTIONS.modal });

function required(value: string, fault: string): string {
  if (value === '') throw drawingFault(fault);
  return value;
}

function imagine(body: JsonObject): DrawingOrder {
  return order(ACTIONS.imagine, { prompt: required(text(body.prompt), 'prompt_is_required') });
}

/** Called with the model as soon as the body has named it, before its other faults are looked for. */
type OnModel = (model: string) => void;

function change(body: JsonObject, onModel: OnModel): DrawingOrder {
  const action = text(body.action).toUpperCase();
  const isKnown = ['UPSCALE', 'VARIATION', 'REROLL'].includes(action);
  if (isKnown) onModel(drawingModel(action));
  const originId = required(asId(body.taskId), 'task_id_is_required');
  required(action, 'action_is_required');
  if (!isKnown) throw drawingFault(`unknown_action:${action.slice(0, 40)}`);
  if (action !== 'REROLL' && !isIndex(body.index)) throw drawingFault('index_is_required');
  return follow(action, originId);
}

const isIndex = (value: unknown): boolean => typeof value === 'number' && value >= 1 && value <= 4;

/** Parses `<task id> U1`, `V3` or `R`. */
function simpleChange(body: JsonObject): DrawingOrder {
  const content = required(text(body.content).trim(), 'content_is_required');
  const [, originId, letter] = /^(\S+)\s+([UVR])(?:[1-4])?$/i.exec(content) ?? [];
  const isWhole = /\s(?:[UV][1-4]|R)$/i.test(content);
  if (originId === undefined || letter === undefined || !isWhole) throw drawingFault('content_parse_failed');
  const actions: Record<string, string> = { U: 'UPSCALE', V: 'VARIATION', R: 'REROLL' };
  return follow(actions[letter.toUpperCase()] ?? '', originId);
}

interface Button {
  action: string;
  /** Whether the id lacks the number of the picture, which this action needs. */
  lacksIndex: boolean;
}

/** Reads the id of a drawing's button, such as `MJ::JOB::upsample::2::<uuid>`. */
export function readButton(customId: string): Button {
  const parts = customId.split('::');
  const [name, index] = parts[1] === 'JOB' ? [parts[2], parts[3]] : [parts[1], parts[2]];
  const lacksIndex = !/^\d+$/.test(index ?? '');
  if (!name) throw drawingFault('unknown_action');
  if (name.includes('upsample')) return { action: 'UPSCALE', lacksIndex };
  if (name === 'variation') return { action: 'VARIATION', lacksIndex };
  const known: [string, string][] = [
    ['low_variation', 'LOW_VARIATION'],
    ['high_variation', 'HIGH_VARIATION'],
    ['variation', 'VARIATION'],
    ['pan', 'PAN'],
    ['reroll', 'REROLL'],
    ['Outpaint', 'ZOOM'],
    ['CustomZoom', 'CUSTOM_ZOOM'],
    ['Inpaint', 'INPAINT'],
  ];
  const found = known.find(([word]) => name.includes(word))?.[1];
  if (found === undefined) throw drawingFault(`unknown_action:${customId.slice(0, 100)}`);
  return { action: found, lacksIndex: false };
}

function press(body: JsonObject, onModel: OnModel): DrawingOrder {
  const { action, lacksIndex } = readButton(required(text(body.customId), 'custom_id_is_required'));
  onModel(drawingModel(action));
  if (lacksIndex) throw drawingFault('index_parse_failed');
  return follow(action, required(asId(body.taskId), 'task_id_is_required'));
}

const readers: Record<string, (body: JsonObject, onModel: OnModel) => DrawingOrder> = {
  imagine,
  change,
  'simple-change': simpleChange,
  describe: () => order(ACTIONS.describe),
  blend: () => order(ACTIONS.blend),
  shorten: (body) => order(ACTIONS.shorten, { prompt: required(text(body.prompt), 'prompt_is_required') }),
  modal: (body) => follow(ACTIONS.modal, required(asId(body.taskId), 'task_id_is_required')),
  action: press,
  'upload-discord-images': () => order(ACTIONS['upload-discord-images']),
};

/** Parses the body of `POST /mj/submit/<action>`; throws the documented fault of its fields. */
export function readDrawingOrder(action: string, body: JsonObject, onModel: OnModel): DrawingOrder {
  const read = Object.hasOwn(readers, action) ? readers[action] : undefined;
  if (!read) throw drawingFault('unknown_action');
  checkTypes(body);
  return read(body, onModel);
}

function checkTypes(body: JsonObject): void {
  if (misfit(body, DRAWING_FIELDS) !== undefined) throw drawingFault('bind_request_body_failed');
}

export function readFaceSwap(body: JsonObject): DrawingOrder {
  checkTypes(body);
  if (text(body.sourceBase64) === '' || text(body.targetBase64) === '')
    throw drawingFault('sour_base64_and_target_base64_is_required');
  return order('SWAP_FACE', { prompt: 'InsightFace' });
}

/** A match may begin with white space only where that begins: a long run would otherwise be read once per character. */
const MODE = /(?<!\s)\s*--(?:fast|relax|turbo)\b/g;

/** Removes the flags by which a prompt chooses a speed. */
export const withoutModes = (prompt: string): string => prompt.replace(MODE, '').trim();

/** Actions that open a dialog window are never charged, whatever their price; the submission of the window is. */
export const isFree = (action: string): boolean => action === 'INPAINT' || action === 'CUSTOM_ZOOM';
