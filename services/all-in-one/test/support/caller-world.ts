import { allServices } from '@tollgate/all-in-one';
import { type FakeUpstream, type Person, type TestBed, startFakeUpstream, startTestBed } from '@tollgate/testing';
import { MODELS } from './relay-site.js';

interface Caller {
  name: string;
  /** Units in the wallet. */
  credit: number;
  /** The models of OpenAI's channel, separated by commas. */
  models: string;
}

/** The message of an error without the request id. */
export const withoutRequestId = (message = ''): string => message.replace(/ \(request id: [0-9a-f-]{36}\)$/, '');

/** An installation with a channel of OpenAI and one of Anthropic at the same upstream, and a user with a key who calls them. */
export abstract class CallerWorld {
  testBed!: TestBed;
  upstream!: FakeUpstream;
  user!: Person;
  key!: string;

  protected constructor(private readonly caller: Caller) {}

  async open(): Promise<void> {
    const { name, credit, models } = this.caller;
    this.upstream = await startFakeUpstream();
    this.testBed = await startTestBed(allServices, { TOLLGATE_TRUSTED_PROXIES: '127.0.0.1' });
    const { testBed, upstream } = this;
    await testBed.channel({ name: 'openai', type: 1, base_url: upstream.url, models, group: 'default,vip' });
    await testBed.channel({ name: 'claude', type: 14, base_url: upstream.url, models: MODELS.anthropic });
    this.user = await testBed.user(name, credit);
    this.key = await testBed.token(this.user);
  }

  async close(): Promise<void> {
    await this.testBed?.close();
    await this.upstream?.close();
  }

  option(name: string, value: string): Promise<unknown> {
    return this.testBed.root.data('PUT', '/api/option/', { key: name, value });
  }
}
