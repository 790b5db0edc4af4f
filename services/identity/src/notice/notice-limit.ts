import { Injectable } from '@nestjs/common';
import { KeyValue } from '@tollgate/chassis';

/** Notices of one kind that a user gets within the window, as documented. */
const MOST = 2;
const WINDOW_SECONDS = 10 * 60;

/** Keeps a repeated event from filling somebody's mailbox. */
@Injectable()
export class NoticeLimit {
  constructor(private readonly keyValue: KeyValue) {}

  /**
   * Whether another notice of this kind may be sent to the user. `source` is the event; when it is delivered again, it
   * does not count again.
   */
  async admits(userId: number, kind: string, source: string): Promise<boolean> {
    for (let place = 0; place < MOST; place += 1) {
      const key = `notice:${userId}:${kind}:${place}`;
      if (await this.keyValue.setIfAbsent(key, source, WINDOW_SECONDS)) return true;
      if ((await this.keyValue.get(key)) === source) return true;
    }
    return false;
  }
}
