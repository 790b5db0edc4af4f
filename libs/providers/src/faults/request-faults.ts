import { type Attempt, cutText } from '@tollgate/contracts';

/** These messages often quote the request, which may be arbitrarily long. */
const MAX_MESSAGE = 500;

/**
 * The upstream's dialect cannot express the request, because of the member `param`. Before anything was sent another channel may be tried;
 * else the client gets a 400.
 */
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

/** Code of a `ChannelUnusable`: the token endpoint rejected the key. */
export const TOKEN_REFUSED = 'channel:token_refused';

/** The channel's configuration does not permit any call, e.g. its key is malformed. Another channel may serve the request. */
export class ChannelUnusable extends Error {
  constructor(
    readonly code: string,
    message: string,
    /** Only `credential` counts against the key. */
    readonly faultClass: Attempt['class'] = 'credential',
  ) {
    super(message);
    this.name = 'ChannelUnusable';
  }
}
