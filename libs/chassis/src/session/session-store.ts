import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { KeyValue } from '../key-value/key-value.js';

const recordSchema = z.object({
  userId: z.int().positive(),
  /** `users.session_version` at sign-in; raising it ends the session. */
  sessionVersion: z.int(),
  /** Unix seconds of the sign-in. */
  createdAt: z.int(),
  /** Unix seconds when the 30 days last restarted, which is the last use to within ten minutes. */
  renewedAt: z.int(),
});
export type SessionRecord = z.infer<typeof recordSchema>;

export const SESSION_SECONDS = 30 * 24 * 60 * 60;
const RENEW_AFTER_SECONDS = 10 * 60;
const REVOCATION_MARK_SECONDS = 60;
const ATTRIBUTE_SECONDS = 10 * 60;
const COOKIE_PATTERN = /^[A-Za-z0-9_-]{43}$/;

/** Sessions by an opaque cookie, of which only a hash is stored. Identity writes them, the gateway reads them. */
export class SessionStore {
  constructor(
    private readonly keyValue: KeyValue,
    /** Hashes by each accepted secret key, the one in use first. */
    private readonly hmacs: (label: string, text: string) => string[],
    private readonly nowSeconds: () => number = () => Math.floor(Date.now() / 1000),
  ) {}

  /** Creates a new id at every sign-in, so that an id from before cannot be used to hijack the session. */
  async create({
    userId,
    sessionVersion,
  }: {
    userId: number;
    sessionVersion: number;
  }): Promise<{ cookieValue: string }> {
    const cookieValue = newCookie();
    const now = this.nowSeconds();
    await this.store(keyOf(this.idOf(cookieValue)), { userId, sessionVersion, createdAt: now, renewedAt: now });
    return { cookieValue };
  }

  /** The id of a new session, shown in lists: the hash of its cookie, which cannot be used to sign in. */
  idOf(cookieValue: string): string {
    return this.idsOf(cookieValue)[0] ?? '';
  }

  /** The id of an existing session. */
  async findId(cookieValue: string): Promise<string | undefined> {
    for (const id of this.idsOf(cookieValue)) if ((await this.find(id)) !== undefined) return id;
    return undefined;
  }

  /** The ids by each accepted secret key: while it is being replaced, a session may have begun under either. */
  private idsOf(cookieValue: string): string[] {
    return this.hmacs('session', cookieValue);
  }

  /** Reads a session without renewing it. */
  async find(id: string): Promise<SessionRecord | undefined> {
    const text = await this.keyValue.get(keyOf(id));
    return text === undefined ? undefined : recordSchema.safeParse(JSON.parse(text)).data;
  }

  /** Ends a session by its id; the cookie is not needed. */
  async end(id: string): Promise<void> {
    const key = keyOf(id);
    await this.keyValue.set(markOf(key), '1', REVOCATION_MARK_SECONDS);
    await this.keyValue.delete(key);
  }

  /** Reads a session and restarts its 30 days, at most every ten minutes. */
  async read(cookieValue: string): Promise<SessionRecord | undefined> {
    if (!COOKIE_PATTERN.test(cookieValue)) return undefined;
    for (const id of this.idsOf(cookieValue)) {
      const record = await this.find(id);
      if (!record) continue;
      const now = this.nowSeconds();
      if (now - record.renewedAt < RENEW_AFTER_SECONDS) return record;
      return this.renew(keyOf(id), { ...record, renewedAt: now });
    }
    return undefined;
  }

  async revoke(cookieValue: string): Promise<void> {
    if (!COOKIE_PATTERN.test(cookieValue)) return;
    for (const id of this.idsOf(cookieValue)) await this.end(id);
  }

  /** Stores a small attribute of a visit for ten minutes, signed in or not, e.g. an OAuth state. A visit without a cookie gets one. */
  async put(cookieValue: string | undefined, name: string, value: string): Promise<{ cookieValue: string }> {
    const visit = cookieValue !== undefined && COOKIE_PATTERN.test(cookieValue) ? cookieValue : newCookie();
    await this.keyValue.set(attributeKey(this.idOf(visit), name), value, ATTRIBUTE_SECONDS);
    return { cookieValue: visit };
  }

  async get(cookieValue: string, name: string): Promise<string | undefined> {
    return this.ofVisit(cookieValue, (id) => this.keyValue.get(attributeKey(id, name)));
  }

  /** Reads and deletes an attribute: of several callers only one gets the value. */
  async take(cookieValue: string, name: string): Promise<string | undefined> {
    return this.ofVisit(cookieValue, (id) => this.keyValue.take(attributeKey(id, name)));
  }

  private async ofVisit(
    cookieValue: string,
    read: (id: string) => Promise<string | undefined>,
  ): Promise<string | undefined> {
    if (!COOKIE_PATTERN.test(cookieValue)) return undefined;
    for (const id of this.idsOf(cookieValue)) {
      const value = await read(id);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  private async store(key: string, record: SessionRecord): Promise<void> {
    await this.keyValue.set(key, JSON.stringify(record), SESSION_SECONDS);
  }

  /** A sign-out during a renewal must win: it sets a mark before it deletes, and the renewal checks for the mark after it has written. */
  private async renew(key: string, record: SessionRecord): Promise<SessionRecord | undefined> {
    await this.store(key, record);
    if ((await this.keyValue.get(markOf(key))) === undefined) return record;
    await this.keyValue.delete(key);
    return undefined;
  }
}

const attributeKey = (id: string, name: string): string => `visit:${id}:${name}`;
const keyOf = (id: string): string => `session:${id}`;
const markOf = (key: string): string => `revoked:${key}`;
const newCookie = (): string => randomBytes(32).toString('base64url');
