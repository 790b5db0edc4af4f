import type { Searches } from '@tollgate/contracts';

/** Text of a reply for local counting. `droppedBytes` is the number of received bytes beyond the kept text. */
export interface ReplyText {
  text: string;
  droppedBytes: number;
  toolCalls: number;
  /** Number of pictures, for dialects that embed them in the text. */
  pictures?: number;
  /** Searches that the upstream made, if any. */
  searches?: Searches;
}
