import type { TaskPlatform } from '@tollgate/contracts';
import { readDrawing, readSong, type TaskItem } from '@tollgate/providers';

type Item = Parameters<typeof readDrawing>[0];

/** How to poll many tasks of an upstream at once, and how to read the reply. */
interface TaskUpstream {
  path: string;
  headers(key: string): Record<string, string>;
  /** The items of a reply; `undefined` when it does not have the documented shape. */
  itemsOf(reply: unknown): unknown[] | undefined;
  read(item: Item): TaskItem | undefined;
}

const upstreams: Record<TaskPlatform, TaskUpstream> = {
  midjourney: {
    path: '/mj/task/list-by-condition',
    headers: (key) => ({ 'mj-api-secret': key }),
    itemsOf: (reply) => (Array.isArray(reply) ? (reply as unknown[]) : undefined),
    read: readDrawing,
  },
  suno: {
    path: '/suno/fetch',
    headers: (key) => ({ authorization: `Bearer ${key}` }),
    itemsOf: (reply) => {
      const { code, data } = (reply ?? {}) as { code?: unknown; data?: unknown };
      return code === 'success' && Array.isArray(data) ? (data as unknown[]) : undefined;
    },
    read: readSong,
  },
};

export const upstreamOf = (platform: TaskPlatform): TaskUpstream => upstreams[platform];

const isItem = (item: unknown): item is Item => typeof item === 'object' && item !== null && !Array.isArray(item);

/** Updates by the upstream's task id. Items without an id are left out. */
export function readUpdates(platform: TaskPlatform, reply: unknown): Map<string, TaskItem> | undefined {
  const { itemsOf, read } = upstreams[platform];
  const items = itemsOf(reply)?.filter(isItem);
  if (!items) return undefined;
  return new Map(items.flatMap((item) => read(item) ?? []).map((item) => [item.upstreamId, item]));
}
