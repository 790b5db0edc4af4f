import type { JsonObject, Reply, ReplyContext, UploadAdapter } from '../adapter.js';
import { RequestRejected } from '../adapter.js';
import { stated } from '../conversation/conversation.js';
import { objectOf, textOf } from '../json/json.js';
import { type Quirks, urlOf } from '../openai-compatible/quirks.js';
import { headersOf } from '../openai-compatible/request.js';
import { ofLength } from '../openai-compatible/transcription.js';
import { appendText, noText } from '../stream/transcript.js';
import { readResult, runPath } from './run.js';

const FORMATS = ['json', 'text', 'vtt', 'verbose_json'];

const formatOf = ({ response_format: format }: JsonObject): string => textOf(format) || 'json';

/** Base64 encodes three bytes as four characters; remaining bytes of a chunk are carried over to the next. */
async function* asBase64Json(file: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield Buffer.from('{"audio":"');
  let rest = Buffer.alloc(0);
  for await (const piece of file) {
    const bytes = rest.length > 0 ? Buffer.concat([rest, piece]) : piece;
    const whole = bytes.length - (bytes.length % 3);
    yield Buffer.from(bytes.subarray(0, whole).toString('base64'));
    rest = Buffer.from(bytes.subarray(whole));
  }
  yield Buffer.from(`${rest.toString('base64')}"}`);
}

/** Newer models take audio within JSON, the first one takes the raw bytes. */
const wantsJson = (model: string): boolean => model.includes('turbo');

function replyIn(format: string, result: JsonObject): Pick<Reply, 'body' | 'contentType'> {
  const text = textOf(result.text);
  if (format === 'text') return { body: Buffer.from(`${text}\n`), contentType: 'text/plain; charset=utf-8' };
  if (format === 'vtt') return { body: Buffer.from(textOf(result.vtt)), contentType: 'text/vtt; charset=utf-8' };
  if (format === 'json') return { body: Buffer.from(JSON.stringify({ text })) };
  const { language, duration } = objectOf(result.transcription_info);
  const { segments, words } = result;
  return {
    body: Buffer.from(JSON.stringify(stated({ task: 'transcribe', language, duration, text, segments, words }))),
  };
}

function readReply(body: Buffer, context: ReplyContext): Reply {
  const read = readResult(body, context);
  if (!read.result) return { body, usage: undefined, fault: read.fault, text: () => noText };
  const { result } = read;
  return {
    ...replyIn(formatOf(context.request ?? {}), result),
    usage: ofLength(objectOf(result.transcription_info).duration),
    isByLength: true,
    text: () => appendText(noText, textOf(result.text)),
  };
}

/** Speech to text by running a model on the form's file, sent without the form. */
export const cloudflareTranscriptions = (quirks: Quirks): UploadAdapter => ({
  toUpstream({ json, form }, target) {
    if (!form?.file) throw new Error('a form with one file is missing');
    const format = formatOf(json);
    if (!FORMATS.includes(format))
      throw new RequestRejected('invalid_audio_request', `response_format ${format} is not supported in Workers AI`);
    const path = runPath(target.model);
    const { 'content-type': _, ...headers } = headersOf(target, quirks, false);
    const file = form.file();
    const isJson = wantsJson(target.model);
    return {
      method: 'POST',
      url: quirks.url?.(target, path) ?? urlOf(target, quirks, path),
      headers: { ...headers, ...(isJson ? { 'content-type': 'application/json' } : file.headers) },
      upload: isJson ? asBase64Json(file.upload) : file.upload,
    };
  },
  fromReply: readReply,
});
