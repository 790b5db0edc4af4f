import type { JsonObject } from '../dialects.js';
import { type Native, type NativeReply, objectIn, textIn } from './native.js';

/** Number of pictures, by task id. */
const tasks = new Map<string, { count: number }>();

const refusal = (status: number, code: string, message: string): NativeReply => ({
  status,
  json: { code, message, request_id: 'q-1' },
});

function submitted(json: JsonObject): NativeReply {
  const { n, size } = objectIn(json.parameters);
  if (!/^\d+\*\d+$/.test(textIn(size))) return refusal(400, 'InvalidParameter', 'size must be width*height');
  const task_id = `task-${tasks.size + 1}`;
  tasks.set(task_id, { count: Number(n ?? 1) });
  return { status: 200, json: { output: { task_id, task_status: 'PENDING' }, request_id: 'q-1' } };
}

function asked(task_id: string, origin: string): NativeReply {
  const task = tasks.get(task_id);
  if (!task) return refusal(400, 'InvalidParameter', 'no such task');
  const results = Array.from({ length: task.count }, (_, index) => ({ url: `${origin}/pictures/${index}.png` }));
  const output = { task_id, task_status: 'SUCCEEDED', results };
  return { status: 200, json: { request_id: 'q-2', output, usage: { image_count: task.count } } };
}

/** DashScope's own paths, which imitate no other provider: embeddings, and pictures by tasks. */
export const ali: Native = ({ url: { pathname }, headers, json, origin }) => {
  if (!pathname.includes('/api/v1/services/') && !pathname.includes('/api/v1/tasks/')) return undefined;
  if (headers.authorization === 'Bearer bad-key') return refusal(401, 'InvalidApiKey', 'Invalid API-key provided.');
  if (pathname.includes('/tasks/')) return asked(pathname.split('/').at(-1) ?? '', origin);
  if (pathname.endsWith('/image-synthesis'))
    return headers['x-dashscope-async'] === 'enable'
      ? submitted(json)
      : refusal(403, 'AccessDenied', 'current user api does not support synchronous calls.');
  const { texts } = objectIn(json.input);
  const list = Array.isArray(texts) ? texts : [];
  const embeddings = list.map((_, text_index) => ({ text_index, embedding: [text_index, 0.5] })).reverse();
  return { status: 200, json: { output: { embeddings }, usage: { total_tokens: 7 * list.length }, request_id: 'q-3' } };
};
