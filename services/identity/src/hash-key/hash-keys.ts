import { createHmac } from 'node:crypto';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { Lifecycle, SecretBox } from '@tollgate/chassis';

/** What the keys themselves are sealed for. */
export const HASH_KEY = 'hash-key';
const purposes = ['system-access-token', 'recovery-code', 'passkey-user'] as const;
export type LastingPurpose = (typeof purposes)[number];

/**
 * Keyed hashes that outlive the secret key of the installation. What they are of is nowhere stored (an access token, a recovery code) or lies
 * with an authenticator (a passkey's owner), so a new secret key could not hash it anew. The key of each purpose is therefore kept, sealed;
 * at first it is the one that the secret key gave, so that older hashes stay good.
 */
@Injectable()
export class HashKeys {
  private readonly keys = new Map<LastingPurpose, Promise<Buffer>>();

  constructor(
    private readonly em: EntityManager,
    private readonly secrets: SecretBox,
    lifecycle: Lifecycle,
  ) {
    // Before anybody can replace the secret key they follow from.
    lifecycle.onReady(async () => {
      for (const purpose of purposes) await this.keyOf(purpose);
    });
  }

  /** Hex. */
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

  /** On a connection of its own: whatever becomes of the caller's transaction, what was handed out is stored. */
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
