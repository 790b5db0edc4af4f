import { Injectable } from '@nestjs/common';
import { channelChanged, nameChannels, nameTokens, nameUsers, tokenChanged, userChanged } from '@tollgate/contracts';
import { broadcastChannel, growingCache, InternalClient, KeyValue, Lifecycle } from '@tollgate/chassis';
import type { LRUCache } from 'lru-cache';

const calls = { user: nameUsers, token: nameTokens, channel: nameChannels } as const;
type Kind = keyof typeof calls;
/** After such an event a name may be another one. */
const changes: Record<Kind, string> = {
  user: userChanged.name,
  token: tokenChanged.name,
  channel: channelChanged.name,
};

const KINDS = Object.keys(calls) as Kind[];
const MAX_IDS = 1000;
const MAX_NAMES = 50_000;
/**
 * Names are cached this long, or until a change of their kind is announced. If the announcement is lost, rows have the
 * former name for this long.
 */
const FRESH_MS = 2_000;

interface NamedIds {
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
  /** Replaced at every change, so that a reply that was requested before it is not kept. */
  private readonly caches: Record<Kind, LRUCache<number, string>> = {
    user: newCache(),
    token: newCache(),
    channel: newCache(),
  };

  constructor(
    private readonly internal: InternalClient,
    keyValue: KeyValue,
    lifecycle: Lifecycle,
  ) {
    lifecycle.onReady(async () => {
      for (const kind of KINDS) {
        const forget = (): void => {
          this.caches[kind] = newCache();
        };
        lifecycle.onDrain(await keyValue.subscribe(broadcastChannel(changes[kind]), forget));
      }
    });
  }

  async resolve({ users = [], tokens = [], channels = [] }: NamedIds): Promise<Names> {
    const wanted: Record<Kind, Iterable<number>> = { user: users, token: tokens, channel: channels };
    const found = await Promise.all(KINDS.map((kind) => this.namesOf(kind, wanted[kind])));
    return Object.fromEntries(KINDS.map((kind, index) => [kind, (id: number) => found[index]?.get(id) ?? ''])) as Names;
  }

  /** Collected in a map of its own, since the cache may drop a name before the batch is written. */
  private async namesOf(kind: Kind, ids: Iterable<number>): Promise<ReadonlyMap<number, string>> {
    const cache = this.caches[kind];
    const names = new Map<number, string>();
    const unknown: number[] = [];
    for (const id of new Set(ids)) {
      if (id <= 0) continue;
      const name = cache.get(id);
      if (name === undefined) unknown.push(id);
      else names.set(id, name);
    }
    for (let start = 0; start < unknown.length; start += MAX_IDS) {
      const reply = await this.internal.call(calls[kind], { ids: unknown.slice(start, start + MAX_IDS) });
      for (const [id, name] of Object.entries(reply.names)) {
        names.set(Number(id), name);
        cache.set(Number(id), name);
      }
    }
    return names;
  }
}

const newCache = (): LRUCache<number, string> => growingCache({ most: MAX_NAMES, ttl: FRESH_MS });
