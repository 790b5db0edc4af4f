import { Injectable } from '@nestjs/common';
import { nameChannels, nameTokens, nameUsers } from '@tollgate/contracts';
import { InternalClient, growingCache } from '@tollgate/chassis';
import type { LRUCache } from 'lru-cache';

const calls = { user: nameUsers, token: nameTokens, channel: nameChannels } as const;
type Kind = keyof typeof calls;

const KINDS = Object.keys(calls) as Kind[];
const MAX_IDS = 1000;
const MAX_NAMES = 50_000;
/**
 * Names are cached this long, so there is at most one call per kind in this time. A changed name may appear in rows
 * this much later.
 */
const FRESH_MS = 2_000;

export interface NamedIds {
  users?: Iterable<number>;
  tokens?: Iterable<number>;
  channels?: Iterable<number>;
}

/** Names by id; an unknown id has an empty name. */
export type Names = Record<Kind, (id: number) => string>;

/**
 * Resolves the names that log rows store by calls to the owners of users, tokens and channels. Not to be called inside
 * a transaction.
 */
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

  /** Collected in a map of its own, since the cache may drop a name before the batch is written. */
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
      const reply = await this.internal.call(calls[kind], { ids: unknown.slice(start, start + MAX_IDS) });
      for (const [id, name] of Object.entries(reply.names)) {
        names.set(Number(id), name);
        this.cache[kind].set(Number(id), name);
      }
    }
    return names;
  }
}

const newCache = (): LRUCache<number, string> => growingCache({ most: MAX_NAMES, ttl: FRESH_MS });
