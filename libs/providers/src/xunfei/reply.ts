import type { Attempt } from '@tollgate/contracts';
import type { JsonObject, ReplyContext, UpstreamFault } from '../adapter.js';
import type { ReadReply } from '../conversation/converse.js';
import { findFault, unreadableReply } from '../faults/faults.js';
import { arrayOf, objectOf, parseObject, textOf } from '../json/json.js';
import { faultOf, type Piece, type PieceReader, plainReply } from '../plain/reply.js';
import { readSseEvent, SseSplitter } from '../stream/sse.js';
import { noText } from '../stream/transcript.js';
import { openAiUsage } from '../usage.js';

/** Status of the last message. Three members state a status; the one in the header is decisive. */
const LAST = 2;

/** Failure classes by Spark's error code; https://www.xfyun.cn/doc/spark/%E6%8E%A5%E5%8F%A3%E8%AF%B4%E6%98%8E.html. */
const classes: Readonly<Record<number, Attempt['class']>> = {
  ...{ 10003: 'invalid', 10004: 'invalid', 10005: 'invalid', 10163: 'invalid', 10907: 'invalid' },
  ...{ 10013: 'invalid', 10014: 'invalid', 10015: 'invalid', 10019: 'invalid', 10404: 'invalid' },
  ...{ 10007: 'rate-limited', 10008: 'rate-limited', 10010: 'rate-limited', 10110: 'rate-limited' },
  ...{ 11202: 'rate-limited', 11203: 'rate-limited' },
  ...{ 10016: 'credential', 11200: 'credential', 11201: 'credential' },
};

export function sparkFault(json: JsonObject, secrets: readonly string[]): UpstreamFault | undefined {
  const { code = 0, message } = objectOf(json.header);
  if (code === 0) return findFault(json, secrets);
  const details = { message: textOf(message), type: 'xunfei_error', code: String(code) };
  return faultOf(details, classes[Number(code)] ?? 'upstream', secrets);
}

/** An error message is the last message as well. */
export function isLastMessage(json: JsonObject | undefined): boolean {
  const { code, status } = objectOf(json?.header);
  return (code ?? 0) !== 0 || status === LAST;
}

export const sparkPiece: PieceReader = (json) => {
  const { payload, header } = json;
  const { choices, usage } = objectOf(payload);
  const { sid, status } = objectOf(header);
  const texts = arrayOf(objectOf(choices).text).map(objectOf);
  const calls = texts.flatMap(({ function_call: value }) => {
    const { name, arguments: written } = objectOf(value);
    return textOf(name) ? [{ index: 0, id: '', name: textOf(name), arguments: textOf(written) }] : [];
  });
  const isLast = status === LAST;
  return {
    id: textOf(sid),
    text: texts.map(({ content }) => textOf(content)).join(''),
    reasoning: texts.map(({ reasoning_content: thought }) => textOf(thought)).join(''),
    calls,
    finish: isLast ? 'stop' : '',
    usage: openAiUsage(objectOf(usage).text),
  };
};

/** The JSON messages of a body; others are skipped. */
function jsonsIn(body: Buffer): JsonObject[] {
  const splitter = new SseSplitter();
  return splitter.push(body).flatMap((event): JsonObject[] => {
    const json = parseObject(readSseEvent(event).data ?? '');
    return json ? [json] : [];
  });
}

const joined = (pieces: Piece[], part: 'text' | 'reasoning'): string => pieces.map((piece) => piece[part]).join('');

const asOne = (pieces: Piece[]): Piece => ({
  id: pieces[0]?.id ?? '',
  text: joined(pieces, 'text'),
  reasoning: joined(pieces, 'reasoning'),
  calls: pieces.flatMap(({ calls = [] }) => calls).map((call, index) => ({ ...call, index })),
  finish: 'stop',
  usage: pieces.findLast(({ usage }) => usage !== undefined)?.usage,
});

/** Reads all messages of an answer. An answer without its last message is a fault. */
export function readSparkReply(body: Buffer, context: ReplyContext): ReadReply {
  const jsons = jsonsIn(body);
  const last = jsons.at(-1);
  const failed = (fault: UpstreamFault): ReadReply => ({ usage: undefined, fault, text: () => noText });
  if (!last || !isLastMessage(last)) return failed(unreadableReply);
  const fault = sparkFault(last, context.secrets);
  if (fault) return failed(fault);
  const pieces = jsons.map(sparkPiece);
  return plainReply(
    () => asOne(pieces),
    () => undefined,
  )(Buffer.from('{}'), context);
}
