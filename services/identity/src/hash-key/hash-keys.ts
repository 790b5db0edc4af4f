import { createHmac } from 'node:crypto';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { AppError, Lifecycle, SecretBox, Unopened } from '@tollgate/chassis';

/** Encryption purpose of the hash keys themselves. */
export const HASH_KEY = 'hash-key';
const purposes = ['system-access-token', 'recovery-code', 'passkey-user'] as const;
type LastingPurpose = (typeof purposes)[number];

/**
 * Keyed hashes that stay valid when the installation's secret key is replaced. The hashed values are not stored (access
 * tokens, recovery codes) or are in an authenticator (the owner of a passkey), so they cannot be hashed again under a
 * new key. Each purpose therefore has a key of its own, stored encrypted. Its first value is the one derived from the
 * secret key, so that hashes from before this table stay valid.
 */
@Injectable()
export class HashKeys {
  private readonly keys = new Map<LastingPurpose, Promise<Buffer>>();

  constructor(
    private readonly em: EntityManager,
    private readonly secrets: SecretBox,
    lifecycle: Lifecycle,
  ) {
    // Derives the keys before the secret key can be replaced.
    lifecycle.onReady(async () => {
      try {
        for (const purpose of purposes) await this.keyOf(purpose);
      } catch (error) {
        throw error instanceof Unopened ? wrongSecretKey(error) : error;
      }
    });
  }

  /** Returns hex. */
  async hmac(purpose: LastingPurpose, text: string): Promise<string> {
    return createHmac('sha256', await this.keyOf(purpose))
      .update(text)
      .digest('hex');
  }

  private keyOf(purpose: LastingPurpose): Promise<Buffer> {
    let key = this.keys.get(purpose);
    if (!key) {
      key = this.load(purpose);
      this.keys.set(purpose, key);
      key.catch(() => this.keys.delete(purpose));
    }
    return key;
  }

  /** Uses a connection of its own: the key is stored even if the caller's transaction rolls back. */
  private async load(purpose: LastingPurpose): Promise<Buffer> {
    const em = this.em.fork();
    const find = async (): Promise<string | undefined> => {
      const rows = await em.execute<{ sealed: string }[]>('select "sealed" from "hash_key" where "purpose" = ?', [
        purpose,
      ]);
      return rows[0]?.sealed;
    };
    let sealed = await find();
    if (sealed === undefined) {
      await em.execute('insert into "hash_key" ("purpose", "sealed") values (?, ?) on conflict do nothing', [
        purpose,
        this.secrets.encrypt(HASH_KEY, this.secrets.eldestKeyOf(purpose)),
      ]);
      sealed = await find();
    }
    return Buffer.from(this.secrets.decrypt(HASH_KEY, sealed ?? ''), 'hex');
  }
}

const wrongSecretKey = (cause: Unopened): AppError =>
  new AppError(
    'unavailable',
    'secret-key-wrong',
    `The secret key does not fit this database. ${cause.message} Set TOLLGATE_SECRET_KEY to the key that the database was used with (without the variable it is in the file secret-key of the data folder); while the key is replaced, also TOLLGATE_SECRET_KEY_PREVIOUS.`,
    { cause },
  );
