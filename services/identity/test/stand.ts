import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EntityManager } from '@mikro-orm/postgresql';
import { Body, Controller, Module } from '@nestjs/common';
import {
  adjustQuota,
  findAffiliate,
  getBalances,
  type InternalCall,
  openAccount,
  type ServiceName,
} from '@tollgate/contracts';
import {
  Answers,
  type Caller,
  CALLER_HEADER,
  CALLER_PURPOSE,
  defineService,
  type Host,
  readEnv,
  SERVICE_HEADER,
  SERVICE_PURPOSE,
  startProcess,
} from '@tollgate/platform';
import { createDatabase } from '@tollgate/testing';
import type { z } from 'zod';
import { identity } from '../src/index.js';

export interface Account {
  id: number;
  username: string;
  role: number;
  group: string;
}

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | number | undefined>;
  body: { success: boolean; message: string; data: unknown; code?: string };
}

interface Call {
  as?: Account;
  body?: unknown;
  query?: Record<string, string>;
  headers?: Record<string, string>;
}

/** Stands in for billing: wallets in a map, and a switch that makes it fail. */
export class FakeBilling {
  readonly opened: z.output<typeof openAccount.input>[] = [];
  readonly adjusted: z.output<typeof adjustQuota.input>[] = [];
  readonly codes = new Map<string, number>();
  balanceCalls = 0;
  down = false;
}

let billing = new FakeBilling();

@Controller()
class FakeBillingController {
  @Answers(openAccount)
  open(
    @Body({ schema: openAccount.input }) input: z.output<typeof openAccount.input>,
  ): z.output<typeof openAccount.output> {
    if (billing.down) throw new Error('billing is down');
    billing.opened.push(input);
    return { quota: 0 };
  }

  @Answers(getBalances)
  balances(
    @Body({ schema: getBalances.input }) { userIds }: z.output<typeof getBalances.input>,
  ): z.output<typeof getBalances.output> {
    if (billing.down) throw new Error('billing is down');
    billing.balanceCalls += 1;
    const rest = { usedQuota: 7, requestCount: 3, affCode: 'code', affCount: 0, affQuota: 0, affHistoryQuota: 0 };
    return { balances: userIds.map((userId) => ({ userId, quota: userId * 100, ...rest })) };
  }

  @Answers(adjustQuota)
  adjust(
    @Body({ schema: adjustQuota.input }) input: z.output<typeof adjustQuota.input>,
  ): z.output<typeof adjustQuota.output> {
    billing.adjusted.push(input);
    return { before: 0, after: input.quota ?? input.delta ?? 0 };
  }

  @Answers(findAffiliate)
  find(
    @Body({ schema: findAffiliate.input }) { code }: z.output<typeof findAffiliate.input>,
  ): z.output<typeof findAffiliate.output> {
    return { userId: billing.codes.get(code) ?? null };
  }
}

@Module({ controllers: [FakeBillingController] })
class FakeBillingModule {}

/** Identity on a database of its own, with billing faked at the internal call. */
export async function startIdentity() {
  billing = new FakeBilling();
  const database = await createDatabase([{ name: 'identity', ...identity.database! }]);
  const dataDir = await mkdtemp(join(tmpdir(), 'identity-'));
  const env = readEnv({
    DATABASE_URL: database.url,
    TOLLGATE_DATA_DIR: dataDir,
    TOLLGATE_SECRET_KEY: 'k'.repeat(32),
    LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
  });
  const running = await startProcess([identity, defineService({ name: 'billing', module: FakeBillingModule })], env);
  const { host } = running;
  const em = (): EntityManager => running.services.get('identity')!.app.get(EntityManager).fork();

  async function request(method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, call: Call = {}): Promise<Answer> {
    const { as, body, query, headers = {} } = call;
    const reply = await instanceOf(host, 'identity').inject({
      method,
      url,
      query,
      headers: {
        ...headers,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(as && callerHeader(host, as)),
      },
      ...(body !== undefined && { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return { status: reply.statusCode, headers: reply.headers, body: reply.json() };
  }

  async function internal<I extends z.ZodType, O extends z.ZodType>(
    call: InternalCall<I, O>,
    input: z.input<I>,
  ): Promise<z.output<O>> {
    const service = host.secrets.sign(SERVICE_PURPOSE, { service: 'gateway', exp: Math.floor(Date.now() / 1000) + 30 });
    const reply = await instanceOf(host, call.service).inject({
      method: 'POST',
      url: `/internal/${call.name}`,
      headers: { 'content-type': 'application/json', [SERVICE_HEADER]: service },
      payload: JSON.stringify(input),
    });
    return call.output.parse(reply.json());
  }

  async function stop(): Promise<void> {
    await running.stop();
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  }

  return { request, internal, em, host, billing, stop };
}
export type Stand = Awaited<ReturnType<typeof startIdentity>>;

const instanceOf = (host: Host, name: ServiceName) => {
  const instance = host.instances.get(name);
  if (!instance) throw new Error(`${name} is not running`);
  return instance;
};

function callerHeader(host: Host, { id, username, role, group }: Account): Record<string, string> {
  const caller: Caller = {
    userId: id,
    username,
    role,
    group,
    via: 'session',
    requestId: crypto.randomUUID(),
    exp: Math.floor(Date.now() / 1000) + 30,
  };
  return { [CALLER_HEADER]: host.secrets.sign(CALLER_PURPOSE, caller) };
}

/** Sets the system up; the answer is its super administrator. */
export async function setUp({ request }: Stand, form: Record<string, unknown> = {}): Promise<Account> {
  const body = { username: 'root', password: 'rootroot', confirmPassword: 'rootroot', ...form };
  await request('POST', '/api/setup', { body });
  const login = await request('POST', '/api/user/login', { body: { username: 'root', password: 'rootroot' } });
  return login.body.data as Account;
}

let counter = 0;

/** A user of any role, made through the API and promoted by root. */
export async function addUser(
  { request }: Stand,
  root: Account,
  role: 1 | 10 = 1,
): Promise<Account & { password: string }> {
  counter += 1;
  const username = `user${counter}`;
  const password = `password${counter}`;
  const created = await request('POST', '/api/user/', { as: root, body: { username, password } });
  if (!created.body.success) throw new Error(created.body.message);
  const user = created.body.data as Account;
  if (role === 10) await request('POST', '/api/user/manage', { as: root, body: { id: user.id, action: 'promote' } });
  return { ...user, role, password };
}
