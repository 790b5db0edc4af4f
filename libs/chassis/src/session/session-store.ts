import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { KeyValue } from '../key-value/key-value.js';

const recordSchema = z.object({
  userId: z.int().positive(),
  /** `users.session_version` at sign-in; a newer one ends the session. */
  sessionVersion: z.int(),
  /** Unix seconds of the sign-in. */
  createdAt: z.int(),
  /** Unix seconds when the 30 days last began anew: when it was last used, give or take ten minutes. */
  renewedAt: z.int(),
});
export type SessionRecord = z.infer<typeof recordSchema>;

export const SESSION_SECONDS = 30 * 24 * 60 * 60;
const RENEW_AFTER_SECONDS = 10 * 60;
const REVOCATION_MARK_SECONDS = 60;
const ATTRIBUTE_SECONDS = 10 * 60;
const COOKIE_PATTERN = /^[A-Za-z0-9_-]{43}$/;

/** Sessions by an opaque cookie of which only a hash is stored. Identity writes, the gateway reads. */
export class SessionStore {
  constructor(
    private readonly keyValue: KeyValue,
    /** Hashes by each secret key that is accepted, the one in use first. */
    private readonly hmacs: (label: string, text: string) => string[],
    private readonly nowSeconds: () => number = () => Math.floor(Date.now() / 1000),
  ) {}

  /** A new id at every sign-in, so that one known before it is worth nothing. */
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

  /** What names a new session in lists: the hash of its cookie, which opens nothing. */
  idOf(cookieValue: string): string {
    return this.idsOf(cookieValue)[0] ?? '';
  }

  /** What names a session that is there. */
  async findId(cookieValue: string): Promise<string | undefined> {
    for (const id of this.idsOf(cookieValue)) if ((await this.find(id)) !== undefined) return id;
    return undefined;
  }

  /** While a secret key is replaced, a session may have begun under either. */
  private idsOf(cookieValue: string): string[] {
    return this.hmacs('session', cookieValue);
  }

  /** The session as it is, not used by this. */
  async find(id: string): Promise<SessionRecord | undefined> {
    const text = await this.keyValue.get(keyOf(id));
    return text === undefined ? undefined : recordSchema.safeParse(JSON.parse(text)).data;
  }

  /** Ends a session by its id, whoever holds the cookie. */
  async end(id: string): Promise<void> {
    const key = keyOf(id);
    await this.keyValue.set(markOf(key), '1', REVOCATION_MARK_SECONDS);
    await this.keyValue.delete(key);
  }

  /** Begins the 30 days anew, at most every ten minutes. */
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

  /** Keeps a small attribute of a visit for ten minutes, signed in or not, e.g. an OAuth state; a visit without a cookie gets one. */
  async put(cookieValue: string | undefined, name: string, value: string): Promise<{ cookieValue: string }> {
    const visit = cookieValue !== undefined && COOKIE_PATTERN.test(cookieValue) ? cookieValue : newCookie();
    await this.keyValue.set(attributeKey(this.idOf(visit), name), value, ATTRIBUTE_SECONDS);
    return { cookieValue: visit };
  }

  async get(cookieValue: string, name: string): Promise<string | undefined> {
    return this.ofVisit(cookieValue, (id) => this.keyValue.get(attributeKey(id, name)));
  }

  /** Reads and forgets it: of several calls one gets the value. */
  async take(cookieValue: string, name: string): Promise<string | undefined> {
    return this.ofVisit(cookieValue, (id) => this.keyValue.take(attributeKey(id, name)));
  }

  private async ofVisit(
    cookieValue: string,
    look: (id: string) => Promise<string | undefined>,
  ): Promise<string | undefined> {
    if (!COOKIE_PATTERN.test(cookieValue)) return undefined;
    for (const id of this.idsOf(cookieValue)) {
      const value = await look(id);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  private async store(key: string, record: SessionRecord): Promise<void> {
    await this.keyValue.set(key, JSON.stringify(record), SESSION_SECONDS);
  }

  /** A sign-out in the middle of a renewal must win: it leaves a mark before it deletes, and the renewal looks for it last. */
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
