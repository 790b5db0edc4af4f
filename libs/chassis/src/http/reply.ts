/** A reply whose body is not in the envelope (documented exceptions), with an optional status and headers. */
export class RawReply {
  constructor(
    readonly body: unknown,
    readonly status = 200,
    readonly headers: Record<string, string> = {},
  ) {}
}

/** A successful reply with a message. */
export class Message<T = undefined> {
  constructor(
    readonly message: string,
    readonly data?: T,
  ) {}
}
