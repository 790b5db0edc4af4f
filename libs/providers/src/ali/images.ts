import type { ChannelTarget, FollowUp, ImagesAdapter, JsonObject, UpstreamFault } from '../adapter.js';
import { numberOf, stated } from '../conversation/conversation.js';
import { classifyError, unreadableReply } from '../faults/faults.js';
import { arrayOf, objectOf, parseObject, textOf } from '../json/json.js';
import { type Quirks, urlOf } from '../openai-compatible/quirks.js';
import { headersOf } from '../openai-compatible/request.js';
import { noPictures, picturesReply } from '../pictures/reply.js';
import { statedSize } from '../pictures/size.js';
import { aliFault, readAliError } from './error.js';

const PATH = '/api/v1/services/aigc/text2image/image-synthesis';
const POLL_MS = 3000;
const MOST_POLLS = 20;
const DEFAULT_SIZE = '1024*1024';

const isUnderWay = ({ task_status: status }: JsonObject): boolean => status === 'PENDING' || status === 'RUNNING';

/** The results with a picture; others of the same task may have failed. */
const made = ({ results }: JsonObject): JsonObject[] =>
  arrayOf(results)
    .map(objectOf)
    .filter(({ url, b64_json: data }) => textOf(url) !== '' || textOf(data) !== '');

const late: UpstreamFault = {
  class: 'timeout',
  message: 'the upstream did not finish the pictures in time',
  type: 'upstream_error',
  code: 'task_timeout',
};

function taskFault(json: JsonObject, secrets: readonly string[]): UpstreamFault | undefined {
  const fault = aliFault(json, secrets);
  if (fault) return fault;
  const output = objectOf(json.output);
  if (isUnderWay(output)) return late;
  if (made(output).length > 0) return undefined;
  // The reason is stated on the task, or on each of its pictures.
  const [first] = arrayOf(output.results).map(objectOf);
  const failure = textOf(output.code) ? output : first;
  if (!failure) return unreadableReply;
  return classifyError({ status: 200, body: readAliError(JSON.stringify(failure)), channelType: 17, secrets });
}

function bodyOf(json: JsonObject, model: string): JsonObject {
  const { prompt, n, negative_prompt, seed, style } = json;
  const isOwnStyle = textOf(style).startsWith('<');
  return {
    model,
    input: stated({ prompt, negative_prompt }),
    parameters: stated<JsonObject>({
      size: statedSize(json).replace('x', '*') || DEFAULT_SIZE,
      n: numberOf(n) || 1,
      seed,
      style: isOwnStyle ? style : undefined,
    }),
  };
}

/** Collects pictures as base64: fetches one after another from the addresses in the task. */
function dataStep(output: JsonObject, fetched: readonly Buffer[]): FollowUp {
  const pictures = made(output);
  const next = pictures[fetched.length];
  if (next) return { request: { method: 'GET', url: textOf(next.url), headers: { accept: 'image/*' } }, afterMs: 0 };
  const results = fetched.map((bytes) => ({ b64_json: bytes.toString('base64') }));
  return { answer: Buffer.from(JSON.stringify({ output: { ...output, results } })) };
}

/** Submits a task, then polls it until its pictures are ready. */
export const aliImages = (quirks: Quirks): ImagesAdapter => {
  const poll = (target: ChannelTarget, id: string): FollowUp => ({
    request: {
      method: 'GET',
      url: urlOf(target, quirks, `/api/v1/tasks/${encodeURIComponent(id)}`),
      headers: headersOf(target, quirks, false),
    },
    afterMs: POLL_MS,
  });
  return {
    toUpstream: ({ json }, target) => ({
      method: 'POST',
      url: urlOf(target, quirks, PATH),
      headers: { ...headersOf(target, quirks, false), 'x-dashscope-async': 'enable' },
      body: Buffer.from(JSON.stringify(bodyOf(json, target.model))),
    }),

    followUp(replies, { json: request }, target) {
      const tasks = replies.map((body) => objectOf(parseObject(body.toString('utf8'))?.output));
      const over = tasks.findIndex((task) => !isUnderWay(task));
      if (over === -1) return replies.length > MOST_POLLS ? undefined : poll(target, textOf(tasks[0]?.task_id));
      const output = tasks[over] ?? {};
      const wantsData = request.response_format === 'b64_json' && made(output).length > 0;
      return wantsData ? dataStep(output, replies.slice(over + 1)) : undefined;
    },

    fromReply(body, context) {
      const json = parseObject(body.toString('utf8'));
      const fault = json ? taskFault(json, context.secrets) : unreadableReply;
      if (!json || fault) return noPictures(body, fault ?? unreadableReply);
      const pictures = made(objectOf(json.output)).map(({ url, b64_json }) => stated({ url, b64_json }));
      return picturesReply(pictures, context);
    },
  };
};
