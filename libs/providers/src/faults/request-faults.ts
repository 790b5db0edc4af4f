import { type Attempt, cutText } from '@tollgate/contracts';

/** Such a message often repeats what the client sent, which may be endless. */
const MAX_MESSAGE = 500;

/** What this upstream's dialect cannot express, at the path `param`: before anything went out another channel may be asked, else it is a 400. */
export class RequestRejected extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly param = '',
  ) {
    super(cutText(message, MAX_MESSAGE));
    this.name = 'RequestRejected';
  }
}

/** Code of a `ChannelUnusable`: who gives tokens says that the key is of no use. */
export const TOKEN_REFUSED = 'channel:token_refused';

/** The channel cannot be called as it is set up, whatever the request: the key has not the form of its type. Another channel may serve. */
export class ChannelUnusable extends Error {
  constructor(
    readonly code: string,
    message: string,
    /** Anything else than `credential` is not held against the key. */
    readonly faultClass: Attempt['class'] = 'credential',
  ) {
    super(message);
    this.name = 'ChannelUnusable';
  }
}
