import { Injectable } from '@nestjs/common';
import { KeyValue } from '@tollgate/chassis';

/** Notices of one kind that a person gets within the window, as documented. */
const MOST = 2;
const WINDOW_SECONDS = 10 * 60;

/** Keeps what happens over and over from filling somebody's mailbox. */
@Injectable()
export class NoticeLimit {
  constructor(private readonly keyValue: KeyValue) {}

  /** Whether one more of a kind goes to a person. `source` names what happened: a repeat of it does not count again. */
  async admits(userId: number, kind: string, source: string): Promise<boolean> {
    for (let place = 0; place < MOST; place += 1) {
      const key = `notice:${userId}:${kind}:${place}`;
      if (await this.keyValue.setIfAbsent(key, source, WINDOW_SECONDS)) return true;
      if ((await this.keyValue.get(key)) === source) return true;
    }
    return false;
  }
}
