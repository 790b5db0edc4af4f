import { Injectable } from '@nestjs/common';
import { pollBilling, resolveTokens, type TokenRecord } from '@tollgate/contracts';
import {
  InternalClient,
  KeyValue,
  Lifecycle,
  Logger,
  broadcastChannel,
  followRevisions,
  SecretBox,
} from '@tollgate/chassis';
import { LRUCache } from 'lru-cache';
import { BatchLoader } from './batch-loader.js';
import { KnownTokens } from './known-tokens.js';

const TOKENS = 100_000;
const UNKNOWN_MS = 1000;

/** Tokens by key, held in memory until billing says that one changed. A warm look-up asks nobody. */
@Injectable()
export class TokenDirectory {
  private readonly known = new KnownTokens(TOKENS);
  private readonly hashes = new LRUCache<string, string>({ max: TOKENS });
  /** Keys that billing did not know a moment ago; short, so that a new token works at once. */
  private readonly unknown = new LRUCache<string, true>({ max: TOKENS, ttl: UNKNOWN_MS });
  private readonly loader: BatchLoader<string, TokenRecord>;
  private revision = 0;
  /** Grows with every invalidation; a reply asked for before one is not kept. */
  private generation = 0;

  constructor(
    private readonly internal: InternalClient,
    private readonly secrets: SecretBox,
    keyValue: KeyValue,
    lifecycle: Lifecycle,
    logger: Logger,
  ) {
    this.loader = new BatchLoader((keyHashes) => this.load(keyHashes));
    followRevisions(
      { lifecycle, logger, keyValue },
      {
        owner: 'billing',
        name: 'token poll',
        isCurrent: ({ token }) => token === this.revision,
        poll: () => this.poll(),
      },
    );
    lifecycle.onReady(async () => {
      lifecycle.onDrain(
        await keyValue.subscribe(broadcastChannel('token-changed'), (userId) => this.forgetUser(Number(userId))),
      );
    });
  }

  /** `key` is the 48 characters without `sk-`. */
  find(key: string): Promise<TokenRecord | undefined> | TokenRecord | undefined {
    const hash = this.hashOf(key);
    const known = this.known.get(hash);
    if (known) return known;
    return this.unknown.has(hash) ? undefined : this.loader.get(hash);
  }

  private hashOf(key: string): string {
    let hash = this.hashes.get(key);
    if (hash === undefined) {
      hash = this.secrets.hmac('token-key', key);
      this.hashes.set(key, hash);
    }
    return hash;
  }

  private async load(keyHashes: string[]): Promise<Map<string, TokenRecord>> {
    const { generation } = this;
    const { tokens } = await this.internal.call(resolveTokens, { keyHashes });
    const found = new Map(tokens.map((token) => [token.keyHash, token]));
    for (const hash of keyHashes) {
      const token = found.get(hash);
      if (!token) this.unknown.set(hash, true);
      else if (generation === this.generation) this.known.set(hash, token);
    }
    return found;
  }

  private forgetUser(userId: number): void {
    this.generation += 1;
    this.unknown.clear();
    this.known.deleteOfUser(userId);
  }

  private async poll(): Promise<void> {
    const { tokenRevision, changedTokenIds, complete } = await this.internal.call(pollBilling, {
      tokensSince: this.revision,
    });
    if (tokenRevision === this.revision) return;
    this.generation += 1;
    this.unknown.clear();
    this.revision = tokenRevision;
    if (!complete) return this.known.clear();
    for (const id of changedTokenIds) this.known.deleteById(id);
  }
}
