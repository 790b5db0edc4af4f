import { EntityManager } from '@mikro-orm/postgresql';
import { UniqueConstraintViolationException } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import type { createPasskeySchema, Passkey as PasskeyReply } from '@tollgate/contracts/api/second-factor';
import { AppError, KeyValue, type PlatformRequest, unixSeconds } from '@tollgate/chassis';
import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/server';
import type { z } from 'zod';
import { Factors } from '../factor/factors.js';
import { Passkey } from '../factor/passkey.entity.js';
import { MOST_PASSKEYS, Passkeys } from '../factor/passkeys.js';
import { RecoveryCodes } from '../factor/recovery-codes.js';
import { RelyingParty } from '../factor/relying-party.js';
import { SessionService } from '../login/session.service.js';
import { Unbinding } from '../oauth/unbinding.js';
import { type Self, UserStore } from '../user/user-store.js';

const CHALLENGE_SECONDS = 5 * 60;

/** Creates, names and deletes the passkeys of a user. */
@Injectable()
export class PasskeyEnrolment {
  constructor(
    private readonly em: EntityManager,
    private readonly users: UserStore,
    private readonly passkeys: Passkeys,
    private readonly factors: Factors,
    private readonly recovery: RecoveryCodes,
    private readonly sessions: SessionService,
    private readonly unbinding: Unbinding,
    private readonly party: RelyingParty,
    private readonly keyValue: KeyValue,
  ) {}

  async list(userId: number): Promise<PasskeyReply[]> {
    const rows = await this.passkeys.list(userId);
    return rows.map((row) => toReply(row, this.party.id));
  }

  /** The challenge is valid once, in the same browser. */
  async begin(userId: number, request: PlatformRequest): Promise<PublicKeyCredentialCreationOptionsJSON> {
    const user = await this.users.get(userId);
    if (user.passkeyCount >= MOST_PASSKEYS) throw tooMany();
    const options = await this.passkeys.creationOptions(user);
    await this.keyValue.set(await this.challengeKey(userId, request), options.challenge, CHALLENGE_SECONDS);
    return options;
  }

  /**
   * Returns recovery codes if this is the user's first second factor while the operator requires one; otherwise none.
   */
  async finish(self: Self, created: z.output<typeof createPasskeySchema>, request: PlatformRequest): Promise<string[]> {
    const { userId } = self;
    const challenge = await this.keyValue.take(await this.challengeKey(userId, request));
    if (challenge === undefined) throw new AppError('invalid', 'passkey-expired', '通行密钥请求已过期，请重试');
    const passkey = await this.passkeys.accept(userId, created, challenge);
    return refusingKnown(() =>
      this.em.transactional(async (em) => {
        const user = await this.users.changeOwn(self, (own) => {
          if (own.passkeyCount >= MOST_PASSKEYS) throw tooMany();
          own.passkeyCount += 1;
        });
        await em.persist(passkey).flush();
        const isFirst = this.factors.isRequired(user) && (await this.recovery.left(userId)) === 0;
        return isFirst ? this.recovery.replace(userId) : [];
      }),
    );
  }

  async rename(userId: number, id: number, name: string): Promise<void> {
    const renamed = await this.em.nativeUpdate(Passkey, { id, userId }, { name });
    if (renamed === 0) throw unknown();
  }

  /** Throws when the passkey is the user's last way to sign in. */
  async delete(userId: number, id: number): Promise<void> {
    await this.unbinding.keepingAWayIn(userId, async (user) => {
      if ((await this.em.nativeDelete(Passkey, { id, userId })) === 0) throw unknown();
      user.passkeyCount -= 1;
      if (!user.hasSecondFactor()) await this.recovery.forget(userId);
    });
  }

  private async challengeKey(userId: number, request: PlatformRequest): Promise<string> {
    return `passkey-enrolment:${userId}:${(await this.sessions.idOf(request)) ?? ''}`;
  }
}

const toReply = (row: Passkey, host: string): PasskeyReply => ({
  id: row.id,
  name: row.name,
  created_at: unixSeconds(row.createdAt),
  last_used_at: unixSeconds(row.lastUsedAt),
  backed_up: row.backedUp,
  host: row.host,
  usable: row.host === host,
});

const unknown = (): AppError => new AppError('not-found', 'passkey-not-found', '该通行密钥不存在');
const tooMany = (): AppError =>
  new AppError('conflict', 'too-many-passkeys', `最多可添加 ${MOST_PASSKEYS} 个通行密钥`, {
    params: { most: MOST_PASSKEYS },
  });

async function refusingKnown<Result>(write: () => Promise<Result>): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof UniqueConstraintViolationException)) throw error;
    throw new AppError('conflict', 'passkey-taken', '该通行密钥已被添加', { cause: error });
  }
}
