import type { Json, JsonObject } from '../adapter.js';
import { isObject, parseObject } from '../json/json.js';
import { cut, jsonText, progressOf, taskIdOf, type TaskItem, timeOf } from './task-item.js';

const JSON_LENGTH = 65_536;

/** Proxies store the callback address in the properties. It contains a secret that authenticates the proxy, so it is removed. */
function withoutHook(properties: Json | undefined): Json | undefined {
  if (!isObject(properties)) return properties;
  const { notifyHook: _, ...shown } = properties;
  return shown;
}

/** The members of stored properties that users see. Proxies keep ids of their accounts and messages beside them. */
export function shownProperties(stored: string): { finalPrompt: string; finalZhPrompt: string } {
  const { finalPrompt, finalZhPrompt } = parseObject(stored) ?? {};
  return { finalPrompt: cut(finalPrompt, JSON_LENGTH), finalZhPrompt: cut(finalZhPrompt, JSON_LENGTH) };
}

/** Reads a task of a Midjourney proxy, from a list, a single reply or a callback. `undefined` without an id. Times are in milliseconds. */
export function readDrawing(item: JsonObject): TaskItem | undefined {
  const upstreamId = taskIdOf(item.id);
  if (upstreamId === '') return undefined;
  return {
    upstreamId,
    status: cut(item.status, 20),
    progress: progressOf(item.progress),
    startedAt: timeOf(item.startTime, 1),
    finishedAt: timeOf(item.finishTime, 1),
    failReason: cut(item.failReason, 2000),
    imageUrl: cut(item.imageUrl, 4096),
    promptEn: cut(item.promptEn, 20_000),
    description: cut(item.description, 2000),
    state: cut(item.state, 2000),
    buttons: jsonText(item.buttons, JSON_LENGTH),
    properties: jsonText(withoutHook(item.properties), JSON_LENGTH),
    data: '',
  };
}
