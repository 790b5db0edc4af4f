import type { HttpMethod } from '@tollgate/contracts';
import { listen, type ServiceDefinition } from '@tollgate/chassis';
import { type ServiceHarness, startServices } from './service-harness.js';

export interface ApiReply<T = unknown> {
  status: number;
  headers: Headers;
  /** The envelope of console replies, or any other JSON. */
  body: { success: boolean; message: string; data: T } & Record<string, unknown>;
}

/** A client like a signed-in browser: it sends a session cookie and the user-id header. */
export class Person {
  cookie = '';
  id = -1;

  constructor(readonly url: string) {}

  async call<T = unknown>(
    method: HttpMethod,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<ApiReply<T>> {
    const reply = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        'new-api-user': String(this.id),
        ...(this.cookie && { cookie: this.cookie }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const cookie = reply.headers.getSetCookie().find((line) => line.startsWith('session='));
    if (cookie !== undefined) this.cookie = cookie.split(';')[0] ?? '';
    const text = await reply.text();
    return { status: reply.status, headers: reply.headers, body: parse<T>(text) };
  }

  /** Resolves to the data of a successful reply; throws the message of a refused one. */
  async data<T = unknown>(method: HttpMethod, path: string, body?: unknown): Promise<T> {
    const reply = await this.call<T>(method, path, body);
    if (reply.body.success !== true) throw new Error(`${method} ${path}: ${reply.status} ${reply.body.message}`);
    return reply.body.data;
  }

  async signIn(username: string, password: string): Promise<void> {
    const user = await this.data<{ id: number }>('POST', '/api/user/login', { username, password });
    this.id = user.id;
  }
}

function parse<T>(text: string): ApiReply<T>['body'] {
  try {
    return JSON.parse(text) as ApiReply<T>['body'];
  } catch {
    return { success: false, message: text, data: undefined as T };
  }
}

export const ROOT = { username: 'root', password: 'correct horse battery' };

/** The whole product at an address, set up, with its administrator signed in, regardless of how it runs. */
export interface Site {
  url: string;
  /** The super administrator, signed in. */
  root: Person;
  visitor(): Person;
  /** Creates a signed-in user of role 1 with a wallet of `quota` units. */
  user(name: string, quota: number): Promise<Person>;
  channel(fields: Record<string, unknown>): Promise<number>;
  /** Creates a token and resolves to its full key, including `sk-`. */
  token(owner: Person, fields?: Record<string, unknown>): Promise<string>;
}

export interface TestBed extends ServiceHarness, Site {}

/**
 * Sets up a new product with its administrator. From another machine that needs the set-up token that the product
 * printed.
 */
export async function setUpSite(url: string, setupToken?: string): Promise<Site> {
  const root = new Person(url);
  await root.data('POST', '/api/setup', {
    ...ROOT,
    confirmPassword: ROOT.password,
    SelfUseModeEnabled: false,
    DemoSiteEnabled: false,
    ...(setupToken !== undefined && { setup_token: setupToken }),
  });
  await root.signIn(ROOT.username, ROOT.password);
  return {
    url,
    root,
    visitor: () => new Person(url),
    user: (name, quota) => makeUser(root, name, quota),
    channel: (fields) => makeChannel(root, fields),
    token: makeToken,
  };
}

/** Starts the whole product on a free port, not set up yet. */
export async function startProduct(
  definitions: readonly ServiceDefinition[],
  environment: Record<string, string> = {},
): Promise<ServiceHarness & { url: string }> {
  const harness = await startServices(definitions, { TOLLGATE_RATE_LIMITS: 'off', ...environment });
  const front = harness.process.services.get('gateway');
  if (!front) throw new Error('a product needs the gateway');
  const listener = await listen(front.app, '127.0.0.1', 0);
  harness.host.address = `http://localhost:${listener.port}`;
  return {
    ...harness,
    url: `http://127.0.0.1:${listener.port}`,
    async close() {
      await listener.drain(1);
      await harness.close();
    },
  };
}

/** Starts the whole product in this process, set up, with its administrator signed in. */
export async function startTestBed(
  definitions: readonly ServiceDefinition[],
  environment: Record<string, string> = {},
): Promise<TestBed> {
  const product = await startProduct(definitions, environment);
  return { ...product, ...(await setUpSite(product.url)) };
}

/** Password of users that a site creates. */
export const passwordOf = (username: string): string => `${username} has a password`.slice(0, 20);

async function makeUser(root: Person, username: string, quota: number): Promise<Person> {
  const password = passwordOf(username);
  await root.data('POST', '/api/user/', { username, password, display_name: username });
  const person = new Person(root.url);
  await person.signIn(username, password);
  await root.data('PUT', '/api/user/', { id: person.id, username, display_name: username, group: 'default', quota });
  return person;
}

async function makeChannel(root: Person, fields: Record<string, unknown>): Promise<number> {
  const name = String(fields.name ?? `channel ${Math.random()}`);
  await root.data('POST', '/api/channel/', {
    type: 1,
    key: 'sk-upstream',
    models: 'gpt-4o-mini',
    group: 'default',
    ...fields,
    name,
  });
  const rows = await root.data<{ id: number; name: string }[]>(
    'GET',
    `/api/channel/search?keyword=${encodeURIComponent(name)}&group=&model=`,
  );
  const row = rows.find((channel) => channel.name === name);
  if (!row) throw new Error(`channel "${name}" is not in the list`);
  return row.id;
}

async function makeToken(owner: Person, fields: Record<string, unknown> = {}): Promise<string> {
  const name = `t${Math.random().toString(36).slice(2, 10)}`;
  await owner.data('POST', '/api/token/', {
    name,
    remain_quota: 0,
    expired_time: -1,
    unlimited_quota: true,
    model_limits_enabled: false,
    model_limits: '',
    group: '',
    ...fields,
  });
  const rows = await owner.data<{ name: string; key: string }[]>('GET', '/api/token/?p=0&size=100');
  const row = rows.find((token) => token.name === (fields.name ?? name));
  if (!row) throw new Error('the token is not in the list');
  return `sk-${row.key}`;
}
