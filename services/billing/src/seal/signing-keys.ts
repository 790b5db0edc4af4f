import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { Logger, SecretBox } from '@tollgate/chassis';
import { makeSigningKey, openSigningKey, type SigningKey } from './signing-key.js';

/** The row of the chains; whoever writes them, or makes the key, holds it. */
export const CHAINS_LOCK = `select "tx", "old_id" from "seal_progress" where "id" = 1 for update`;

/** The key that this installation seals with. Joins the caller's transaction. */
@Injectable()
export class SigningKeys {
  private key: SigningKey | undefined;

  constructor(
    private readonly em: EntityManager,
    private readonly secrets: SecretBox,
    private readonly logger: Logger,
  ) {}

  /** The newest key of the installation; made here when there is none. */
  async newest(): Promise<SigningKey> {
    if (this.key) return this.key;
    const stored = await this.read();
    if (stored) return (this.key = stored);
    // Two that begin at once shall make one.
    await this.em.execute(CHAINS_LOCK);
    return (await this.read()) ?? (await this.make());
  }

  private async read(): Promise<SigningKey | undefined> {
    const [row] = await this.em.execute<{ private_sealed: string }[]>(
      `select "private_sealed" from "seal_key" order by "created_at" desc limit 1`,
    );
    return row && openSigningKey(this.secrets, row.private_sealed);
  }

  /** Not kept before it is read: the transaction may yet be undone. */
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
