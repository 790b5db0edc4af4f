import type { Searches } from '@tollgate/contracts';

/** Text of a reply for local counting. `droppedBytes` were received beyond what is kept. */
export interface ReplyText {
  text: string;
  droppedBytes: number;
  toolCalls: number;
  /** Pictures that came with it, where the dialect has them in its text. */
  pictures?: number;
  /** Searches that the upstream made, where it made any. */
  searches?: Searches;
}
