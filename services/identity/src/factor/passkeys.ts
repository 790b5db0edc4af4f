import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { createPasskeySchema, passkeyLoginSchema } from '@tollgate/contracts/api/second-factor';
import { AppError, Clock } from '@tollgate/chassis';
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server';
import type { z } from 'zod';
import type { User } from '../user/user.entity.js';
import { HashKeys } from '../hash-key/hash-keys.js';
import { Passkey } from './passkey.entity.js';
import { RelyingParty } from './relying-party.js';

/** The maximum per user. */
export const MOST_PASSKEYS = 20;
const TIMEOUT_MS = 5 * 60_000;

/** Loaded only when a passkey is used or created, because it takes eight megabytes of memory. */
const webauthn = () => import('@simplewebauthn/server');

type Created = z.output<typeof createPasskeySchema>;
type Given = z.output<typeof passkeyLoginSchema>['response'];

/** Passkeys (WebAuthn). Callers store the challenge, and must pass each one back only once. */
@Injectable()
export class Passkeys {
  constructor(
    private readonly em: EntityManager,
    private readonly party: RelyingParty,
    private readonly hashKeys: HashKeys,
    private readonly clock: Clock,
  ) {}

  list(userId: number): Promise<Passkey[]> {
    return this.em.find(Passkey, { userId }, { orderBy: { id: 'asc' } });
  }

  /** Options for a discoverable passkey (no name has to be typed) with user verification (fingerprint, face or PIN). */
  async creationOptions(user: User): Promise<PublicKeyCredentialCreationOptionsJSON> {
    const known = await this.list(user.id);
    const { generateRegistrationOptions } = await webauthn();
    return generateRegistrationOptions({
      rpName: this.party.name,
      rpID: this.party.id,
      userName: user.username,
      userDisplayName: user.displayName,
      userID: new Uint8Array(Buffer.from(await this.handleOf(user.id), 'hex')),
      timeout: TIMEOUT_MS,
      attestationType: 'none',
      excludeCredentials: known.filter(({ host }) => host === this.party.id).map(toDescriptor),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
  }

  /** Verifies a new passkey and returns its row, not stored yet. Throws `passkey-refused`. */
  async accept(userId: number, { name, response }: Created, challenge: string): Promise<Passkey> {
    const { verifyRegistrationResponse } = await webauthn();
    const { registrationInfo } = await trying(() =>
      verifyRegistrationResponse({
        response: { ...response, clientExtensionResults: {} } as never,
        expectedChallenge: challenge,
        expectedOrigin: this.party.origin,
        expectedRPID: this.party.id,
      }),
    );
    if (!registrationInfo) throw refused();
    const { credential, credentialBackedUp: backedUp } = registrationInfo;
    return this.em.create(
      Passkey,
      {
        userId,
        credentialId: credential.id,
        publicKey: Buffer.from(credential.publicKey).toString('base64url'),
        counter: credential.counter,
        transports: (credential.transports ?? []).join(','),
        host: this.party.id,
        name,
        backedUp,
        createdAt: new Date(this.clock.now()),
      },
      { persist: false },
    );
  }

  /** Options for a sign-in: by any passkey, or by one of the given user at the second step. */
  async requestOptions(userId?: number): Promise<PublicKeyCredentialRequestOptionsJSON> {
    const own = userId === undefined ? undefined : await this.list(userId);
    const { generateAuthenticationOptions } = await webauthn();
    return generateAuthenticationOptions({
      rpID: this.party.id,
      timeout: TIMEOUT_MS,
      userVerification: 'required',
      ...(own && { allowCredentials: own.filter(({ host }) => host === this.party.id).map(toDescriptor) }),
    });
  }

  /**
   * The owner of the passkey that signed the challenge. Throws `passkey-refused` with the same message for every fault.
   */
  async ownerOf(response: Given, challenge: string): Promise<number> {
    const passkey = await this.em.findOne(Passkey, { credentialId: response.id });
    if (!passkey) throw refused();
    const { userHandle } = response.response;
    if (userHandle && Buffer.from(userHandle, 'base64url').toString('hex') !== (await this.handleOf(passkey.userId)))
      throw refused();
    const { authenticationInfo } = await trying(() => this.verify(passkey, response, challenge));
    await this.noteUse(passkey, authenticationInfo.newCounter, authenticationInfo.credentialBackedUp);
    return passkey.userId;
  }

  private async verify(passkey: Passkey, response: Given, challenge: string) {
    const { verifyAuthenticationResponse } = await webauthn();
    const result = await verifyAuthenticationResponse({
      response: { ...response, clientExtensionResults: {} } as never,
      expectedChallenge: challenge,
      expectedOrigin: this.party.origin,
      expectedRPID: this.party.id,
      credential: {
        id: passkey.credentialId,
        publicKey: new Uint8Array(Buffer.from(passkey.publicKey, 'base64url')),
        counter: passkey.counter,
      },
    });
    if (!result.verified) throw refused();
    return result;
  }

  /**
   * Throws when the counter has not increased: an authenticator that counts never reports the same number twice, so the
   * passkey was copied.
   */
  private async noteUse({ id }: Passkey, counter: number, backedUp: boolean): Promise<void> {
    const noted = await this.em.execute<object[]>(
      `update "passkey" set "counter" = ?, "backed_up" = ?, "last_used_at" = ?
       where "id" = ? and ("counter" < ? or ("counter" = 0 and ? = 0)) returning "id"`,
      [counter, backedUp, new Date(this.clock.now()), id, counter, counter],
    );
    if (noted.length === 0) throw refused();
  }

  /** The user handle: always the same for a user, and reveals nothing about them. */
  private handleOf(userId: number): Promise<string> {
    return this.hashKeys.hmac('passkey-user', String(userId));
  }
}

const toDescriptor = ({ credentialId: id, transports }: Passkey) => ({
  id,
  ...(transports !== '' && { transports: transports.split(',') }),
});

export const refused = (cause?: unknown): AppError =>
  new AppError('invalid', 'passkey-refused', '通行密钥验证失败，请重试', { cause });

/** Replaces errors of the library, which are worded for programmers. */
async function trying<Result>(verify: () => Promise<Result>): Promise<Result> {
  try {
    return await verify();
  } catch (error) {
    throw error instanceof AppError ? error : refused(error);
  }
}
