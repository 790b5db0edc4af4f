import { Injectable } from '@nestjs/common';
import { OptionStore } from '@tollgate/chassis';

/** For pages that are read right after an option was saved, when the broadcast of the change may still be on its way. */
@Injectable()
export class RecentOptions {
  constructor(private readonly options: OptionStore) {}

  /** While identity does not answer, the options in memory serve. */
  async catchUp(): Promise<void> {
    await this.options.poll().catch(() => undefined);
  }
}
