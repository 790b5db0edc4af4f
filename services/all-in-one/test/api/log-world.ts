import { expect } from '@jest/globals';
import { allServices } from '@tollgate/all-in-one';
import {
  type FakeUpstream,
  type Person,
  readUntil,
  type TestBed,
  startFakeUpstream,
  startTestBed,
} from '@tollgate/testing';
import { makeAdmin } from './support.js';

export interface Log {
  id: number;
  type: number;
  quota: number;
  username: string;
  model_name: string;
  token_name: string;
  prompt_tokens: number;
  completion_tokens: number;
  created_at: number;
  channel: number;
  channel_name: string;
  content: string;
  other: string;
}
export interface LogPage {
  items: Log[];
  total: number;
  page: number;
  page_size: number;
}
export interface Stat {
  quota: number;
  rpm: number;
  tpm: number;
}

/** An installation with five calls of two users in its log, one of them with a token that has a budget. */
export class LogWorld {
  testBed!: TestBed;
  upstream!: FakeUpstream;
  admin!: Person;
  first!: Person;
  second!: Person;
  channel!: number;
  key!: string;
  budgetKey!: string;

  async open(): Promise<void> {
    const behaviour = { tokens: 10 };
    [this.testBed, this.upstream] = await Promise.all([startTestBed(allServices), startFakeUpstream({ behaviour })]);
    const { testBed, upstream } = this;
    this.channel = await testBed.channel({
      name: '上游一号',
      base_url: upstream.url,
      models: 'gpt-4o,gpt-4o-mini,100%_model',
    });
    await testBed.root.data('PUT', '/api/option/', { key: 'ModelPrice', value: '{"100%_model":0.001}' });
    [this.admin, this.first, this.second] = await Promise.all([
      makeAdmin(testBed, 'admin'),
      testBed.user('first', 10_000_000),
      testBed.user('second', 10_000_000),
    ]);
    const { first, second } = this;
    this.key = await testBed.token(first, { name: '名称 %' });
    this.budgetKey = await testBed.token(first, { name: 'budget', unlimited_quota: false, remain_quota: 500_000 });
    const other = await testBed.token(second, { name: 'other' });
    const statuses: number[] = [];
    for (const [apiKey, model, body] of [
      [this.key, 'gpt-4o'],
      [this.key, 'gpt-4o-mini', { stream: true }],
      [this.budgetKey, 'gpt-4o'],
      [this.key, '100%_model'],
      [other, 'gpt-4o-mini'],
    ] as const) {
      const reply = await this.chat(apiKey, model, body);
      await reply.text();
      statuses.push(reply.status);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200]);
    await readUntil(
      () => this.all('type=2'),
      ({ total }) => total >= 5,
    );
  }

  async close(): Promise<void> {
    await this.testBed?.close();
    await this.upstream?.close();
  }

  chat(apiKey: string, model: string, body: object = {}): Promise<Response> {
    return fetch(`${this.testBed.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, max_tokens: 10, messages: [{ role: 'user', content: 'a few words' }], ...body }),
    });
  }

  all(query = ''): Promise<LogPage> {
    return this.admin.data('GET', `/api/log/?page_size=100&${query}`);
  }

  own(person: Person, query = ''): Promise<LogPage> {
    return person.data('GET', `/api/log/self/?page_size=100&${query}`);
  }

  stat(query = ''): Promise<Stat> {
    return this.admin.data('GET', `/api/log/stat?${query}`);
  }
}
