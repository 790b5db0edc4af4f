import { randomBytes } from 'node:crypto';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { HashKeys } from '../hash-key/hash-keys.js';
import { User } from './user.entity.js';
import { type Self, UserStore } from './user-store.js';

const PURPOSE = 'system-access-token';
/** 24 bytes are 32 characters of base64url, the documented length. */
const BYTES = 24;

/** System access tokens. A token is shown once; only its keyed hash is stored. */
@Injectable()
export class AccessTokens {
  constructor(
    private readonly em: EntityManager,
    private readonly users: UserStore,
    private readonly hashKeys: HashKeys,
  ) {}

  /** Replaces the user's previous token. */
  async issue(self: Self): Promise<string> {
    const token = randomBytes(BYTES).toString('base64url');
    const hash = await this.hashKeys.hmac(PURPOSE, token);
    await this.users.changeOwn(self, (user) => {
      user.accessTokenHash = hash;
    });
    return token;
  }

  async ownerOf(token: string): Promise<number | null> {
    const user = await this.em.findOne(
      User,
      { accessTokenHash: await this.hashKeys.hmac(PURPOSE, token), deletedAt: null },
      { fields: ['id'] },
    );
    return user?.id ?? null;
  }
}
