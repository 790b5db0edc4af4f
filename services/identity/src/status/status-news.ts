import { Injectable } from '@nestjs/common';
import { broadcasts } from '@tollgate/contracts';
import { KeyValue, Logger, broadcastChannel, OptionStore } from '@tollgate/chassis';
import { toStatus } from './status.reply.js';

/** Of the facts that are no options only the set-up ever changes, and nobody is signed in before it. */
const FACTS = { version: '', startedAt: 0, isSetUp: true, address: '' };

/**
 * Tells consoles to ask for the status again. Every replica says so once it answers differently itself: whoever was told by the first
 * and asked a later one hears of it again.
 */
@Injectable()
export class StatusNews {
  constructor(
    private readonly options: OptionStore,
    private readonly keyValue: KeyValue,
    private readonly logger: Logger,
  ) {
    let told = this.shown();
    options.onChange(() => {
      const shown = this.shown();
      if (shown === told) return;
      told = shown;
      this.tell();
    });
  }

  private shown(): string {
    return JSON.stringify(toStatus(this.options, FACTS));
  }

  private tell(): void {
    this.keyValue
      .publish(broadcastChannel(broadcasts.statusChanged), '')
      .catch((error: unknown) => this.logger.debug('not broadcast', { topic: broadcasts.statusChanged, error }));
  }
}
