import { Injectable } from '@nestjs/common';
import { broadcasts } from '@tollgate/contracts';
import { Announcer, KeyValue, Logger } from '@tollgate/chassis';

/** Lets consoles know that rows and sums of somebody are there; to be called once they are committed. */
@Injectable()
export class UsageNews {
  private readonly announcer: Announcer;

  constructor(keyValue: KeyValue, logger: Logger) {
    this.announcer = new Announcer(broadcasts.usageLogged, keyValue, logger);
  }

  tell(written: readonly { userId: number }[]): void {
    this.announcer.announce(written.map(({ userId }) => userId));
  }
}
