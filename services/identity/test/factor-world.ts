import { expect } from '@jest/globals';
import { Clock, SessionStore } from '@tollgate/chassis';
import { SoftAuthenticator } from '@tollgate/testing';
import { Secret, TOTP } from 'otpauth';
import { type Account, addUser, type Answer, setUp, type TestBed, startIdentity } from './test-bed.js';

export type Member = Account & { password: string };
export type Options = Parameters<SoftAuthenticator['create']>[0] & Parameters<SoftAuthenticator['get']>[0];

const ORIGIN = 'https://gate.example';

export const cookieOf = (answer: Pick<Answer, 'headers'>): string =>
  String(answer.headers['set-cookie']).split(';')[0] ?? '';

export const codeAt = (secret: string, ms: number): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: ms });

/** An installation with second factors and a controllable clock; `user` is new in each test. */
export class FactorWorld {
  testBed!: TestBed;
  root!: Account;
  sessions!: SessionStore;
  user!: Member;
  now = Date.now();

  async open(): Promise<void> {
    this.testBed = await startIdentity();
    this.testBed.own(Clock).now = () => this.now;
    this.root = await setUp(this.testBed);
    const { keyValue, secrets } = this.testBed.host;
    this.sessions = new SessionStore(keyValue, (label, text) => secrets.hmacs(label, text));
    await this.setOption('ServerAddress', ORIGIN);
  }

  async close(): Promise<void> {
    await this.testBed?.stop();
  }

  async addMember(): Promise<void> {
    this.user = await addUser(this.testBed, this.root);
  }

  async setOption(key: string, value: string): Promise<void> {
    const { body } = await this.testBed.request('PUT', '/api/option/', { as: this.root, body: { key, value } });
    expect(body).toMatchObject({ success: true });
  }

  post(path: string, body: object = {}, call: { as?: Account; cookie?: string } = {}): Promise<Answer> {
    return this.testBed.request('POST', path, {
      body,
      as: call.as,
      headers: call.cookie ? { cookie: call.cookie } : {},
    });
  }

  login(who: Member = this.user): Promise<Answer> {
    return this.post('/api/user/login', { username: who.username, password: who.password });
  }

  sessionOf(answer: Answer): ReturnType<SessionStore['read']> {
    return this.sessions.read(cookieOf(answer).replace(/^[\w-]*session=/, ''));
  }

  step(cookie: string, code: string): Promise<Answer> {
    return this.post('/api/user/login/2fa', { code }, { cookie });
  }

  /** Sets up an authenticator app. */
  async enrol(who: Member = this.user): Promise<{ secret: string; codes: string[] }> {
    const cookie = cookieOf(await this.login(who));
    const setup = await this.post('/api/user/self/2fa/setup', { password: who.password }, { as: who, cookie });
    const { secret } = setup.body.data as { secret: string };
    const code = codeAt(secret, this.now);
    const enabled = await this.post('/api/user/self/2fa/enable', { code }, { as: who, cookie });
    expect(enabled.body).toMatchObject({ success: true });
    this.now += 60_000;
    return { secret, codes: (enabled.body.data as { recovery_codes: string[] }).recovery_codes };
  }

  async addPasskey(who: Member = this.user): Promise<SoftAuthenticator> {
    const cookie = cookieOf(await this.login(who));
    const key = new SoftAuthenticator(ORIGIN);
    const { body } = await this.post('/api/user/self/passkey/begin', { password: who.password }, { as: who, cookie });
    const response = key.create(body.data as Options);
    const created = await this.post('/api/user/self/passkey', { name: 'phone', response }, { as: who, cookie });
    expect(created.body).toMatchObject({ success: true });
    return key;
  }

  /** Inserts a passkey of a user who also has one-time codes. */
  async addPasskeyByCode(): Promise<void> {
    await this.testBed.em().execute(
      `insert into "passkey" ("user_id", "credential_id", "public_key", "counter", "transports", "host", "name", "backed_up", "created_at")
       values (?, 'x', 'y', 0, '', 'gate.example', 'key', false, now())`,
      [this.user.id],
    );
    await this.testBed.em().execute('update "users" set "passkey_count" = 1 where "id" = ?', [this.user.id]);
  }

  async passkeyLogin(key: SoftAuthenticator, cookie = '', secondStep = false) {
    const begun = await this.post('/api/user/passkey/login/begin', { second_step: secondStep }, { cookie });
    const visit = begun.headers['set-cookie'] ? cookieOf(begun) : cookie;
    const response = key.get(begun.body.data as Options);
    const finish = () => this.post('/api/user/passkey/login/finish', { response }, { cookie: visit });
    return { visit, response, finish };
  }
}
