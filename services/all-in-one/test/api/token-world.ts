import { allServices } from '@tollgate/all-in-one';
import { type ApiReply, type Person, type TestBed, startTestBed } from '@tollgate/testing';
import { expectSuccess } from './support.js';

export const FIELDS = {
  id: 'int',
  user_id: 'int',
  key: 'string',
  status: 'int',
  name: 'string',
  created_time: 'int',
  accessed_time: 'int',
  expired_time: 'int',
  remain_quota: 'int',
  used_quota: 'int',
  unlimited_quota: 'boolean',
  model_limits_enabled: 'boolean',
  model_limits: 'string',
  allow_ips: 'string?',
  group: 'string',
  DeletedAt: 'string?',
} as const;

export interface Token {
  id: number;
  key: string;
  name: string;
  status: number;
  remain_quota: number;
  [field: string]: unknown;
}

export const FORM = {
  name: '我的API',
  remain_quota: 500_000,
  expired_time: -1,
  unlimited_quota: true,
  model_limits_enabled: false,
  model_limits: '',
  allow_ips: '',
  group: 'default',
};
export const NOT_FOUND = '令牌不存在';

/** An installation with two users, one of whom owns tokens. */
export class TokenWorld {
  testBed!: TestBed;
  owner!: Person;
  stranger!: Person;

  async open(): Promise<void> {
    this.testBed = await startTestBed(allServices);
    [this.owner, this.stranger] = await Promise.all([
      this.testBed.user('owner', 1000),
      this.testBed.user('stranger', 1000),
    ]);
  }

  async close(): Promise<void> {
    await this.testBed?.close();
  }

  list(query = 'p=0&size=100', person = this.owner): Promise<Token[]> {
    return person.data('GET', `/api/token/?${query}`);
  }

  create(form: object, person = this.owner): Promise<ApiReply> {
    return person.call('POST', '/api/token/', form);
  }

  update(form: object, person = this.owner): Promise<ApiReply<Token>> {
    return person.call('PUT', '/api/token/', form);
  }

  status(id: unknown, to: unknown, person = this.owner): Promise<ApiReply<Token>> {
    return person.call('PUT', '/api/token/?status_only=true', { id, status: to });
  }

  read(id: number): Promise<Token> {
    return this.owner.data('GET', `/api/token/${id}`);
  }

  async made(form: object = {}, person = this.owner): Promise<Token> {
    const name = `t${Math.random().toString(36).slice(2, 12)}`;
    expectSuccess(await this.create({ ...FORM, name, ...form }, person));
    const token = (await this.list(undefined, person)).find(
      (row) => row.name === ((form as { name?: string }).name ?? name),
    );
    if (!token) throw new Error('not in the list');
    return token;
  }
}
