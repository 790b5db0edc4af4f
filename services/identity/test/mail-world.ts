import { expect } from '@jest/globals';
import { Metrics } from '@tollgate/chassis';
import { type MailServer, startMailServer } from '@tollgate/testing';
import { type Account, setUp, startIdentity, type TestBed } from './test-bed.js';

/** What a call that was accepted is answered. */
export const done = { success: true, message: '' };

/** An identity service with a mail server, which it knows only once it is configured. */
export class MailWorld {
  testBed!: TestBed;
  root!: Account;
  server!: MailServer;

  async open(): Promise<void> {
    this.testBed = await startIdentity({ TOLLGATE_RATE_LIMITS: 'off' });
    this.root = await setUp(this.testBed);
    this.server = await startMailServer({ account: { user: 'us@acme.example', password: 'secret' } });
  }

  async close(): Promise<void> {
    await this.testBed?.stop();
    await this.server?.close();
  }

  async put(key: string, value: string): Promise<void> {
    const { body } = await this.testBed.request('PUT', '/api/option/', { as: this.root, body: { key, value } });
    expect(body).toEqual(done);
  }

  async configure(port = this.server.port): Promise<void> {
    await this.put('SMTPToken', 'secret');
    await this.put('SMTPPort', String(port));
    await this.put('SMTPAccount', 'us@acme.example');
    await this.put('SMTPServer', '127.0.0.1');
  }

  async ask(path: string, email: string, headers: Record<string, string> = {}, as?: Account) {
    return (await this.testBed.request('GET', path, { query: { email }, headers, as })).body;
  }

  /** The number of attempts to send mails, by outcome. */
  async attempts(): Promise<Record<string, number>> {
    const { registry } = this.testBed.own(Metrics);
    const text = await registry.getSingleMetricAsString('tollgate_identity_deliveries_total');
    const lines = [...text.matchAll(/via="mail",outcome="(\w+)".* (\d+)$/gm)];
    return Object.fromEntries(lines.map(([, outcome = '', count]) => [outcome, Number(count)]));
  }
}
