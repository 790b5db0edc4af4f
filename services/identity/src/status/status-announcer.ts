import { Injectable } from '@nestjs/common';
import { broadcasts } from '@tollgate/contracts';
import { KeyValue, Logger, broadcastChannel, OptionStore } from '@tollgate/chassis';
import { toStatus } from './status.reply.js';

/**
 * Facts in the status that are not options. Only the set-up changes them, and before it nobody is signed in, so they
 * are not compared.
 */
const FACTS = { version: '', startedAt: 0, isSetUp: true, address: '' };

/**
 * Tells consoles to fetch the status again when it has changed. Each replica broadcasts once its own status has
 * changed, because a console that reacted to the first broadcast may have been answered by a replica which was not up
 * to date yet.
 */
@Injectable()
export class StatusAnnouncer {
  constructor(
    private readonly options: OptionStore,
    private readonly keyValue: KeyValue,
    private readonly logger: Logger,
  ) {
    let announced = this.status();
    options.onChange(() => {
      const status = this.status();
      if (status === announced) return;
      announced = status;
      this.broadcast();
    });
  }

  private status(): string {
    return JSON.stringify(toStatus(this.options, FACTS));
  }

  private broadcast(): void {
    this.keyValue
      .publish(broadcastChannel(broadcasts.statusChanged), '')
      .catch((error: unknown) => this.logger.debug('not broadcast', { topic: broadcasts.statusChanged, error }));
  }
}
