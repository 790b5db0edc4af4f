import { Injectable } from '@nestjs/common';
import { nameChannels, nameTokens, nameUsers } from '@tollgate/contracts';
import { InternalClient, growingCache } from '@tollgate/chassis';
import type { LRUCache } from 'lru-cache';

const calls = { user: nameUsers, token: nameTokens, channel: nameChannels } as const;
type Kind = keyof typeof calls;

const KINDS = Object.keys(calls) as Kind[];
const MAX_IDS = 1000;
const MAX_NAMES = 50_000;
/** One call per kind and this time at most, however many batches; a new name shows as late as a new row may. */
const FRESH_MS = 2_000;

export interface NamedIds {
  users?: Iterable<number>;
  tokens?: Iterable<number>;
  channels?: Iterable<number>;
}

/** Names by id; an id nobody knows has an empty name. */
export type Names = Record<Kind, (id: number) => string>;

/** The names log rows store, from the owners of users, tokens and channels. Call it outside of transactions. */
@Injectable()
export class NamesClient {
  private readonly cache: Record<Kind, LRUCache<number, string>> = {
    user: newCache(),
    token: newCache(),
    channel: newCache(),
  };

  constructor(private readonly internal: InternalClient) {}

  async resolve({ users = [], tokens = [], channels = [] }: NamedIds): Promise<Names> {
    const wanted: Record<Kind, Iterable<number>> = { user: users, token: tokens, channel: channels };
    const found = await Promise.all(KINDS.map((kind) => this.namesOf(kind, wanted[kind])));
    return Object.fromEntries(KINDS.map((kind, index) => [kind, (id: number) => found[index]?.get(id) ?? ''])) as Names;
  }

  /** What is found is kept in a map of its own: a small cache may drop a name before the batch is written. */
  private async namesOf(kind: Kind, ids: Iterable<number>): Promise<ReadonlyMap<number, string>> {
    const names = new Map<number, string>();
    const unknown: number[] = [];
    for (const id of new Set(ids)) {
      if (id <= 0) continue;
      const name = this.cache[kind].get(id);
      if (name === undefined) unknown.push(id);
      else names.set(id, name);
    }
    for (let start = 0; start < unknown.length; start += MAX_IDS) {
      const asked = await this.internal.call(calls[kind], { ids: unknown.slice(start, start + MAX_IDS) });
      for (const [id, name] of Object.entries(asked.names)) {
        names.set(Number(id), name);
        this.cache[kind].set(Number(id), name);
      }
    }
    return names;
  }
}

const newCache = (): LRUCache<number, string> => growingCache({ most: MAX_NAMES, ttl: FRESH_MS });
