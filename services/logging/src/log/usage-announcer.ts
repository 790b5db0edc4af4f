import { Injectable } from '@nestjs/common';
import { broadcasts } from '@tollgate/contracts';
import { Announcer, KeyValue, Logger } from '@tollgate/chassis';

/** Broadcasts to consoles that a user has new rows and sums. Call it after they are committed. */
@Injectable()
export class UsageAnnouncer {
  private readonly announcer: Announcer;

  constructor(keyValue: KeyValue, logger: Logger) {
    this.announcer = new Announcer(broadcasts.usageLogged, keyValue, logger);
  }

  announce(written: readonly { userId: number }[]): void {
    this.announcer.announce(written.map(({ userId }) => userId));
  }
}
