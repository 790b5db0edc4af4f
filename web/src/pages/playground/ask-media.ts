import { isObject } from '../../api/is-object.js';
import type { Attachment, Call, Media } from './conversation.js';
import { parse, refusedBy, textIn } from './reply-error.js';

interface AskMedia {
  call: Exclude<Call, { kind: 'chat' }>;
  userId: number;
  signal: AbortSignal;
  onStart: (requestId: string | undefined) => void;
}

/** The answer of one call: text, pictures as `data:` addresses, or a sound as a `blob:` address. */
interface MediaAnswer {
  content: string;
  media: Media[];
}

/** Decoded by hand, because the content security policy forbids `fetch` of `data:` addresses. */
function blobOf({ url, type }: Attachment): Blob {
  const bytes = Uint8Array.from(atob(url.slice(url.indexOf(',') + 1)), (character) => character.charCodeAt(0));
  return new Blob([bytes], { type });
}

function formOf({ model, file }: Extract<Call, { kind: 'words' }>): FormData {
  const form = new FormData();
  form.append('model', model);
  if (file) form.append('file', blobOf(file), file.name);
  return form;
}

async function send({ call, userId, signal }: AskMedia): Promise<Response> {
  const base = `${window.location.origin}/pg${call.path}`;
  const headers = { 'New-Api-User': String(userId), 'Cache-Control': 'no-store' };
  if (call.kind === 'words') {
    const query = call.group === '' ? '' : `?group=${encodeURIComponent(call.group)}`;
    return fetch(`${base}${query}`, { method: 'POST', headers, body: formOf(call), signal });
  }
  return fetch(base, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify(call.body),
    signal,
  });
}

/**
 * Pictures in base64 are shown. Addresses are only listed as text, so that the browser fetches nothing from another
 * site unasked.
 */
function picturesIn(json: unknown): MediaAnswer {
  const list = isObject(json) && Array.isArray(json.data) ? json.data.filter(isObject) : [];
  const media = list.flatMap(({ b64_json: data }): Media[] =>
    textIn(data) === undefined ? [] : [{ kind: 'picture', url: `data:image/png;base64,${String(data)}` }],
  );
  const addresses = list.map(({ url }) => textIn(url)).filter((url) => url !== undefined);
  return { content: addresses.join('\n'), media };
}

async function answerOf({ call: { kind }, signal }: AskMedia, reply: Response): Promise<MediaAnswer> {
  if (kind === 'speech') {
    const sound = await reply.blob();
    // After an abort no message holds the sound, so nothing would ever revoke its address.
    signal.throwIfAborted();
    const url = URL.createObjectURL(sound);
    return { content: '', media: [{ kind: 'sound', url }] };
  }
  const text = await reply.text();
  const json = parse(text);
  if (kind === 'picture') return picturesIn(json);
  return { content: (isObject(json) ? textIn(json.text) : undefined) ?? text, media: [] };
}

/** Sends one call whose answer is not streamed. */
export async function askMedia(asked: AskMedia): Promise<MediaAnswer> {
  const reply = await send(asked);
  if (!reply.ok) throw await refusedBy(reply);
  asked.onStart(reply.headers.get('X-Oneapi-Request-Id') ?? undefined);
  return answerOf(asked, reply);
}
