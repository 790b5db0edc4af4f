import { allServices } from '@tollgate/all-in-one';
import { type ApiReply, type Person, type TestBed, startTestBed } from '@tollgate/testing';
import { expectSuccess, makeAdmin } from './support.js';

export const FIELDS = {
  id: 'int',
  type: 'int',
  name: 'string',
  status: 'int',
  openai_organization: 'string?',
  base_url: 'string?',
  other: 'string',
  models: 'string',
  group: 'string',
  model_mapping: 'string?',
  status_code_mapping: 'string?',
  param_override: 'string?',
  setting: 'string?',
  auto_ban: 'int?',
  test_model: 'string?',
  priority: 'int?',
  weight: 'int?',
  tag: 'string?',
  created_time: 'int',
  test_time: 'int',
  response_time: 'int',
  balance: 'number',
  balance_updated_time: 'int',
  used_quota: 'int',
  other_info: 'string',
} as const;

export interface Channel {
  id: number;
  name: string;
  status: number;
  [field: string]: unknown;
}

export const SECRET = 'sk-upstream-secret-key-0123456789';
export const FORM = { name: 'a channel', type: 1, key: SECRET, models: 'gpt-4o,gpt-4o-mini', group: 'default' };

/** An installation, and an administrator who manages channels. */
export class ChannelWorld {
  testBed!: TestBed;
  admin!: Person;
  private count = 0;

  async open(): Promise<void> {
    this.testBed = await startTestBed(allServices);
    this.admin = await makeAdmin(this.testBed, 'admin');
  }

  async close(): Promise<void> {
    await this.testBed?.close();
  }

  call(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown): Promise<ApiReply> {
    return this.admin.call(method, path, body);
  }

  list(query = 'p=0&page_size=100'): Promise<Channel[]> {
    return this.admin.data('GET', `/api/channel/?${query}`);
  }

  read(id: number): Promise<Channel> {
    return this.admin.data('GET', `/api/channel/${id}`);
  }

  create(form: object): Promise<ApiReply> {
    return this.call('POST', '/api/channel/', form);
  }

  update(form: object): Promise<ApiReply> {
    return this.call('PUT', '/api/channel/', form);
  }

  async made(form: object = {}): Promise<Channel> {
    const name = `made ${(this.count += 1)}`;
    expectSuccess(await this.create({ ...FORM, name, ...form }));
    const [newest] = await this.list('p=0&page_size=1&id_sort=true');
    if (!newest) throw new Error('not in the list');
    return newest;
  }
}
