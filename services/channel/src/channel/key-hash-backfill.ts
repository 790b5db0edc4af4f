import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { Lifecycle, Logger, periodically } from '@tollgate/chassis';
import { asLeader, Leader } from '@tollgate/database';
import { ChannelKeys } from './channel-keys.js';

const EVERY_MS = 60_000;
const CHUNK = 200;

/**
 * Adds the hashes for channels saved before keys could be searched, or by an older replica during an upgrade. A
 * migration cannot do this, because it has no secret key. A key that cannot be decrypted gets no hash.
 */
@Injectable()
export class KeyHashBackfill {
  constructor(
    private readonly em: EntityManager,
    private readonly keys: ChannelKeys,
    leader: Leader,
    lifecycle: Lifecycle,
    logger: Logger,
  ) {
    periodically(
      { lifecycle, logger },
      'hashing of channel keys',
      EVERY_MS,
      asLeader(leader, em, () => this.run()),
    );
  }

  /** May run on several replicas at once: a row is written only if it still contains the key that was read. */
  async run(): Promise<void> {
    let rows: { id: number; sealed_key: string }[] = [];
    do {
      rows = await this.em.execute(
        `select "id", "sealed_key" from "channel" where "key_hashes" = '{}' and "id" > ? order by "id" limit ?`,
        [rows.at(-1)?.id ?? 0, CHUNK],
      );
      for (const row of rows) await this.write(row);
    } while (rows.length === CHUNK);
  }

  private async write({ id, sealed_key: sealedKey }: { id: number; sealed_key: string }): Promise<void> {
    const hashes = this.hashesOf(sealedKey);
    if (hashes.length === 0) return;
    await this.em.execute(
      'update "channel" set "key_hashes" = array[?]::text[] where "id" = ? and "sealed_key" = ?',
      [hashes, id, sealedKey],
      'run',
    );
  }

  private hashesOf(sealedKey: string): string[] {
    try {
      return this.keys.hashesOf(this.keys.open({ sealedKey }));
    } catch {
      return [];
    }
  }
}
