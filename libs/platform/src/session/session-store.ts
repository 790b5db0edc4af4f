import type { KeyValue } from '../key-value/key-value.js';

export interface SessionRecord {
  userId: number;
  /** `users.session_version` at sign-in; a newer one ends the session. */
  sessionVersion: number;
  /** Unix seconds of the sign-in. */
  createdAt: number;
}

/** Sessions by an opaque cookie of which only a hash is stored. Identity writes, the gateway reads. */
export class SessionStore {
  constructor(
    private readonly keyValue: KeyValue,
    private readonly hmac: (label: string, text: string) => string,
  ) {}

  create(_session: { userId: number; sessionVersion: number }): Promise<{ cookieValue: string }> {
    return Promise.reject(new Error(`not built ${typeof this.keyValue} ${typeof this.hmac}`));
  }
  read(_cookieValue: string): Promise<SessionRecord | undefined> {
    return Promise.reject(new Error('not built'));
  }
  revoke(_cookieValue: string): Promise<void> {
    return Promise.reject(new Error('not built'));
  }
  /** Stores a small attribute of a visit that has not signed in yet, e.g. an OAuth state. */
  put(_cookieValue: string, _name: string, _value: string): Promise<void> {
    return Promise.reject(new Error('not built'));
  }
  /** Reads and forgets it. */
  take(_cookieValue: string, _name: string): Promise<string | undefined> {
    return Promise.reject(new Error('not built'));
  }
}
