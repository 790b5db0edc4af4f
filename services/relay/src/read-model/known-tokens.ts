import type { TokenRecord } from '@tollgate/contracts';
import { growingCache } from '@tollgate/chassis';
import type { LRUCache } from 'lru-cache';

/** Tokens by the hash of their key, with indexes by token id and by user. */
export class KnownTokens {
  private readonly byHash: LRUCache<string, TokenRecord>;
  private readonly hashById = new Map<number, string>();
  private readonly hashesByUser = new Map<number, Set<string>>();

  constructor(max: number) {
    this.byHash = growingCache({ most: max, dispose: (token, hash) => this.unlink(token, hash) });
  }

  get size(): number {
    return this.byHash.size;
  }

  get(hash: string): TokenRecord | undefined {
    return this.byHash.get(hash);
  }

  set(hash: string, token: TokenRecord): void {
    // The previous entry is deleted first, so that its `dispose` does not unlink the new one, which may be the same
    // token.
    this.byHash.delete(hash);
    this.byHash.set(hash, token);
    this.hashById.set(token.id, hash);
    const ofUser = this.hashesByUser.get(token.userId);
    if (ofUser) ofUser.add(hash);
    else this.hashesByUser.set(token.userId, new Set([hash]));
  }

  deleteOfUser(userId: number): void {
    for (const hash of [...(this.hashesByUser.get(userId) ?? [])]) this.byHash.delete(hash);
  }

  deleteById(id: number): void {
    const hash = this.hashById.get(id);
    if (hash !== undefined) this.byHash.delete(hash);
  }

  clear(): void {
    this.byHash.clear();
  }

  private unlink({ id, userId }: TokenRecord, hash: string): void {
    if (this.hashById.get(id) === hash) this.hashById.delete(id);
    const ofUser = this.hashesByUser.get(userId);
    ofUser?.delete(hash);
    if (ofUser?.size === 0) this.hashesByUser.delete(userId);
  }
}
