import type { ModelsAdapter } from '../adapter.js';
import { findFault, unreadableReply } from '../faults/faults.js';
import { arrayOf, objectOf, parseObject, textOf } from '../json/json.js';
import type { Quirks } from './quirks.js';
import { urlOf } from './quirks.js';
import { headersOf } from './request.js';

/** The distinct ids of a `{ data: [{ id }] }` list. Throws when the body has another form. */
export function modelIds(body: Buffer): string[] {
  const json = parseObject(body.toString('utf8'));
  const list = json?.data ?? json?.models;
  const fault = json && findFault(json);
  if (!Array.isArray(list)) throw new Error((fault ?? unreadableReply).message);
  return [
    ...new Set(
      arrayOf(list)
        .map((item) => textOf(objectOf(item).id))
        .filter(Boolean),
    ),
  ];
}

export const openAiModels = (quirks: Quirks): ModelsAdapter => ({
  toUpstream: (target) => ({
    method: 'GET',
    url:
      quirks.url?.(target, quirks.modelsPath ?? '/v1/models') ??
      urlOf(target, quirks, quirks.modelsPath ?? '/v1/models'),
    headers: headersOf(target, quirks, false),
  }),
  fromReply: modelIds,
});
