import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { Logger, SecretBox } from '@tollgate/chassis';
import { makeSigningKey, openSigningKey, type SigningKey } from './signing-key.js';

/** Locks the progress row of the chains; writers of the chains, and creators of the key, hold it. */
export const CHAINS_LOCK = `select "tx", "old_id" from "seal_progress" where "id" = 1 for update`;

/** The signing key of this installation. Joins the caller's transaction. */
@Injectable()
export class SigningKeys {
  private key: SigningKey | undefined;

  constructor(
    private readonly em: EntityManager,
    private readonly secrets: SecretBox,
    private readonly logger: Logger,
  ) {}

  /** The newest key of the installation; created now when there is none. */
  async newest(): Promise<SigningKey> {
    if (this.key) return this.key;
    const stored = await this.read();
    if (stored) return (this.key = stored);
    // Keeps two concurrent transactions from creating a key each.
    await this.em.execute(CHAINS_LOCK);
    return (await this.read()) ?? (await this.make());
  }

  private async read(): Promise<SigningKey | undefined> {
    const [row] = await this.em.execute<{ private_sealed: string }[]>(
      `select "private_sealed" from "seal_key" order by "created_at" desc limit 1`,
    );
    return row && openSigningKey(this.secrets, row.private_sealed);
  }

  /** The created key is not cached, because the transaction may be rolled back. */
  private async make(): Promise<SigningKey> {
    const made = makeSigningKey(this.secrets);
    await this.em.execute(
      `insert into "seal_key" ("id", "public_key", "private_sealed") values (?, ?, ?)`,
      [made.id, made.publicKey, made.privateSealed],
      'run',
    );
    this.logger.info('made the key that seals the journal', { keyId: made.id, publicKey: made.publicKey });
    return openSigningKey(this.secrets, made.privateSealed);
  }
}
