import { Injectable } from '@nestjs/common';
import { pollBilling, resolveTokens, type TokenRecord } from '@tollgate/contracts';
import { ReadModels, InternalClient, SecretBox, growingCache } from '@tollgate/chassis';
import { BatchLoader } from './batch-loader.js';
import { KnownTokens } from './known-tokens.js';

const TOKENS = 100_000;
const UNKNOWN_MS = 1000;

/** Tokens by key, kept in memory until billing reports a change. Looking up a known token calls no service. */
@Injectable()
export class TokenDirectory {
  private readonly known = new KnownTokens(TOKENS);
  private readonly hashes = growingCache<string, readonly string[]>({ most: TOKENS });
  /** Keys that billing did not know a moment ago; kept only briefly, so that a new token works at once. */
  private readonly unknown = growingCache<string, true>({ most: TOKENS, ttl: UNKNOWN_MS });
  private readonly loader: BatchLoader<string, TokenRecord>;
  private revision = 0;
  /**
   * Raised by every invalidation. A reply that was requested before one is neither cached nor shared with later
   * callers.
   */
  private generation = 0;

  constructor(
    private readonly internal: InternalClient,
    private readonly secrets: SecretBox,
    readModels: ReadModels,
  ) {
    this.loader = new BatchLoader((keyHashes) => this.load(keyHashes));
    readModels.follow({
      owner: 'billing',
      topics: ['token-changed'],
      name: 'token',
      revision: () => this.revision,
      catchUp: () => this.poll(),
      onEvent: (userId) => this.forgetUser(Number(userId)),
    });
  }

  /** `key` is the 48 characters without `sk-`. */
  find(key: string): Promise<TokenRecord | undefined> | TokenRecord | undefined {
    const hashes = this.hashesOf(key);
    for (const hash of hashes) {
      const known = this.known.get(hash);
      if (known) return known;
    }
    if (hashes.every((hash) => this.unknown.has(hash))) return undefined;
    const [hash = '', ...others] = hashes;
    return others.length === 0 ? this.loader.get(hash) : this.findUnderAny(hashes);
  }

  /**
   * While a token is sealed with a new secret key, its hash may change between two replies. A token found under neither
   * hash is therefore looked up once more.
   */
  private async findUnderAny(hashes: readonly string[]): Promise<TokenRecord | undefined> {
    const find = async (): Promise<TokenRecord | undefined> =>
      (await Promise.all(hashes.map((hash) => this.loader.get(hash)))).find((token) => token !== undefined);
    return (await find()) ?? find();
  }

  /** One hash, or two while the secret key is being replaced; that of the key in use comes first. */
  private hashesOf(key: string): readonly string[] {
    let hashes = this.hashes.get(key);
    if (hashes === undefined) {
      hashes = this.secrets.hmacs('token-key', key);
      this.hashes.set(key, hashes);
    }
    return hashes;
  }

  private async load(keyHashes: string[]): Promise<Map<string, TokenRecord>> {
    const { generation } = this;
    const { tokens } = await this.internal.call(resolveTokens, { keyHashes });
    const found = new Map(tokens.map((token) => [token.keyHash, token]));
    if (generation !== this.generation) return found;
    for (const hash of keyHashes) {
      const token = found.get(hash);
      if (token) this.known.set(hash, token);
      else this.unknown.set(hash, true);
    }
    return found;
  }

  private discardRunning(): void {
    this.generation += 1;
    this.unknown.clear();
    this.loader.discardRunning();
  }

  private forgetUser(userId: number): void {
    this.discardRunning();
    this.known.deleteOfUser(userId);
  }

  private async poll(): Promise<void> {
    const { tokenRevision, changedTokenIds, complete } = await this.internal.call(pollBilling, {
      tokensSince: this.revision,
    });
    if (tokenRevision === this.revision) return;
    this.discardRunning();
    this.revision = tokenRevision;
    if (!complete) return this.known.clear();
    for (const id of changedTokenIds) this.known.deleteById(id);
  }
}
