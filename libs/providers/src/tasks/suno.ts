import type { JsonObject } from '../adapter.js';
import { cut, jsonText, progressOf, taskIdOf, type TaskItem, timeOf } from './task-item.js';

const DATA_LENGTH = 262_144;

/** Reads a task of a Suno proxy, whose times are in seconds. `undefined` without an id. */
export function readSong(item: JsonObject): TaskItem | undefined {
  const upstreamId = taskIdOf(item.task_id);
  if (upstreamId === '') return undefined;
  return {
    upstreamId,
    status: cut(item.status, 20),
    progress: progressOf(item.progress),
    startedAt: timeOf(item.start_time, 1000),
    finishedAt: timeOf(item.finish_time, 1000),
    failReason: cut(item.fail_reason, 2000),
    imageUrl: '',
    promptEn: '',
    description: '',
    state: '',
    buttons: '',
    properties: '',
    data: jsonText(item.data, DATA_LENGTH),
  };
}
