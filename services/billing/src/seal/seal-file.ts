import { appendFile } from 'node:fs/promises';
import { Inject, Injectable } from '@nestjs/common';
import { type Env, Host, Logger } from '@tollgate/chassis';

/**
 * Seals in a place that whoever can write to the database cannot: without one, the newest rows could be cut off together with their seals
 * and nobody outside would know. A file that cannot be written holds up nothing; the next seal says what the lost one said, and more.
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
