import { appendFile } from 'node:fs/promises';
import { Inject, Injectable } from '@nestjs/common';
import { type Env, Host, Logger } from '@tollgate/chassis';

/**
 * Publishes seals to a file outside the database. Otherwise a person who can write to the database could cut off the
 * newest rows together with their seals unnoticed. A failed write blocks nothing, because the next seal covers all that
 * the lost one did.
 */
@Injectable()
export class SealFile {
  private readonly path: string | undefined;

  constructor(
    @Inject(Host) host: { env: Pick<Env, 'TOLLGATE_SEAL_FILE'> },
    private readonly logger: Logger,
  ) {
    this.path = host.env.TOLLGATE_SEAL_FILE;
  }

  /** Appends a line for each seal. */
  async publish(lines: readonly string[]): Promise<void> {
    if (this.path === undefined || lines.length === 0) return;
    try {
      await appendFile(this.path, lines.map((line) => `${line}\n`).join(''), { mode: 0o644 });
    } catch (error) {
      this.logger.error('seals of the journal could not be published', { file: this.path, error });
    }
  }
}
