/** A reply whose body departs from the envelope (documented exceptions), with an optional status and headers. */
export class RawReply {
  constructor(
    readonly body: unknown,
    readonly status = 200,
    readonly headers: Record<string, string> = {},
  ) {}
}

/** A success whose `message` is not empty. */
export class Message<T = undefined> {
  constructor(
    readonly message: string,
    readonly data?: T,
  ) {}
}
