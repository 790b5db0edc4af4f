import type { RequestConsumed, Usage } from '@tollgate/contracts';
import type { ReplyText } from '@tollgate/providers';

/** Why a stated usage was not charged as it was. */
export type Doubt = NonNullable<RequestConsumed['usageDoubt']>;

/** The usage to charge, and where it comes from. */
export interface Counted {
  usage: Usage;
  usageSource: RequestConsumed['usageSource'];
  usageDoubt?: Doubt;
}

/** The facts by which an answer is counted. */
export interface Answer {
  /** The upstream's final usage. */
  stated: Usage | undefined;
  /** `stated` is the length of the sound rather than a count of tokens. */
  isByLength?: boolean | undefined;
  /** Usage that the upstream stated before the end: trusted for the prompt, and a lower bound for the output. */
  soFar?: Usage | undefined;
  /** Bytes received from the upstream. */
  received: number;
  /** The answer broke off after its beginning, so an upstream that states its usage at the end had not stated it. */
  isCut?: boolean;
  text(): ReplyText;
}
