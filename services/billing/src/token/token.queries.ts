import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { TokenRecord } from '@tollgate/contracts';
import { Clock } from '@tollgate/chassis';
import { Token } from './token.entity.js';
import { toTokenRecord } from './token.reply.js';

const MOST_CHANGES = 1000;

/** Queries of other services about tokens. */
@Injectable()
export class TokenQueries {
  constructor(
    private readonly em: EntityManager,
    private readonly clock: Clock,
  ) {}

  /** Unknown and deleted tokens are left out. */
  async resolve(keyHashes: readonly string[], ids: readonly number[]): Promise<TokenRecord[]> {
    const wanted = [
      ...(keyHashes.length > 0 ? [{ keyHash: { $in: [...keyHashes] } }] : []),
      ...(ids.length > 0 ? [{ id: { $in: [...ids] } }] : []),
    ];
    if (wanted.length === 0) return [];
    const rows = await this.em.find(Token, { deletedAt: null, $or: wanted }, { disableIdentityMap: true });
    return rows.map((row) => toTokenRecord(row, this.clock.seconds()));
  }

  /** Finds a token by any of the hashes of one key. */
  async findByHash(keyHashes: readonly string[]): Promise<Token | null> {
    return this.em.findOne(Token, { keyHash: { $in: [...keyHashes] }, deletedAt: null }, { disableIdentityMap: true });
  }

  /** Names by id, including those of deleted tokens. */
  async names(ids: readonly number[]): Promise<Record<string, string>> {
    const rows = await this.em.find(
      Token,
      { id: { $in: [...ids] } },
      { fields: ['id', 'name'], disableIdentityMap: true },
    );
    return Object.fromEntries(rows.map(({ id, name }) => [String(id), name]));
  }

  /** Ids of tokens that changed after revision `since`; `complete` is false when there are too many to list. */
  async changedSince(since: number): Promise<{ ids: number[]; complete: boolean }> {
    const rows = await this.em.find(
      Token,
      { revision: { $gt: since } },
      { fields: ['id'], orderBy: { revision: 'asc' }, limit: MOST_CHANGES + 1, disableIdentityMap: true },
    );
    return { ids: rows.slice(0, MOST_CHANGES).map(({ id }) => id), complete: rows.length <= MOST_CHANGES };
  }
}
