import type { Usage } from '@tollgate/contracts';
import type { JsonObject, Reply, ReplyContext, ReplyHeaders, UploadAdapter } from '../adapter.js';
import { findFault, unreadableReply } from '../faults/faults.js';
import { isObject, parseObject, textOf } from '../json/json.js';
import { appendText, noText } from '../stream/transcript.js';
import { openAiUsage } from '../usage.js';
import { formRequest } from './form.js';
import { MediaEvents } from './media-events.js';
import type { Quirks } from './quirks.js';

const TOKENS_PER_MINUTE = 1000;

/** Tokens for audio that is charged by length: a thousand tokens a minute; a started second counts as a whole one. */
export const soundTokens = (seconds: number): number => Math.round((Math.ceil(seconds) * TOKENS_PER_MINUTE) / 60);

/** Usage for a stated length in seconds. */
export const ofLength = (seconds: unknown): Usage | undefined =>
  typeof seconds === 'number' && Number.isFinite(seconds) && seconds >= 0
    ? {
        semantics: 'openai',
        inputTokens: soundTokens(seconds),
        cacheReadTokens: 0,
        cacheWriteTokens: 0,
        outputTokens: 0,
      }
    : undefined;

/** Usage by token counts if stated, else by the charged duration, else by the duration of the audio. */
function statedBy({ usage, duration }: JsonObject): Pick<Reply, 'usage' | 'isByLength'> {
  const isCharged = isObject(usage) && usage.type === 'duration';
  const tokens = isCharged ? undefined : openAiUsage(usage);
  if (tokens) return { usage: tokens };
  // Some servers write the number as a string.
  const byDuration = ofLength(typeof duration === 'string' ? Number.parseFloat(duration) : duration);
  return { usage: (isCharged ? ofLength(usage.seconds) : undefined) ?? byDuration, isByLength: true };
}

const SUBTITLE_END = /--> (?:(\d+):)?(\d{2}):(\d{2})[.,](\d{3})/g;

/** Subtitles end with the last speech, so the audio is at least that long. */
function subtitleSeconds(text: string): number | undefined {
  const last = [...text.matchAll(SUBTITLE_END)].at(-1);
  if (!last) return undefined;
  const [, hours = '0', minutes, seconds, thousandths] = last;
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds) + Number(thousandths) / 1000;
}

const typeIn = (headers: ReplyHeaders | undefined, otherwise: string): string =>
  String(headers?.['content-type'] ?? otherwise).toLowerCase();

const isJson = (headers: ReplyHeaders | undefined): boolean => typeIn(headers, 'application/json').includes('json');

/** The page of a proxy. The content type is not enough, because some servers name it for every text. */
const isPage = (text: string, headers: ReplyHeaders | undefined): boolean =>
  typeIn(headers, '').includes('html') && /^\s*<(?:!doctype|html)\b/i.test(text);

function readJson(json: JsonObject | undefined, secrets: readonly string[]): Omit<Reply, 'body'> {
  const words = json?.text;
  const fault = json && findFault(json, secrets);
  if (!json || fault || typeof words !== 'string')
    return { usage: undefined, fault: fault ?? unreadableReply, text: () => noText };
  return { ...statedBy(json), text: () => appendText(noText, words) };
}

/** Reads a transcript as JSON, plain text or subtitles. The client gets the upstream's bytes. */
export function transcriptionReply(body: Buffer, { headers, secrets }: ReplyContext): Reply {
  const text = body.toString('utf8');
  const json = parseObject(text);
  if (json ?? (isJson(headers) || isPage(text, headers))) return { body, ...readJson(json, secrets) };
  const contentType = String(headers?.['content-type'] ?? 'text/plain; charset=utf-8');
  const usage = ofLength(subtitleSeconds(text));
  return { body, contentType, usage, isByLength: true, text: () => appendText(noText, text) };
}

/** Streams a transcript; its closing event repeats the whole text. */
const openWords = (context: ReplyContext): MediaEvents =>
  new MediaEvents(context, {
    isLast: (type) => type === 'transcript.text.done',
    usageOf: (event) => statedBy(event).usage,
    wordsOf: ({ type, delta }) => (type === 'transcript.text.delta' ? textOf(delta) : ''),
  });

/** Speech to text: the client's form with the model replaced by the channel's name for it. */
export const openAiTranscriptions = (quirks: Quirks, path: string): UploadAdapter => ({
  toUpstream: formRequest(quirks, path),
  fromReply: transcriptionReply,
  openStream: openWords,
});
