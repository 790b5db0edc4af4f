import { EntityManager } from '@mikro-orm/postgresql';
import { Body, Controller, Module } from '@nestjs/common';
import {
  adjustQuota,
  askAdjustment,
  findAffiliate,
  getBalances,
  type HttpMethod,
  type InternalCall,
  openAccount,
  personOfBilling,
  personOfChannel,
  personOfLogging,
  type PersonPage,
  type Role,
} from '@tollgate/contracts';
import { Answers, AppError, defineService, SERVICE_HEADER, SERVICE_PURPOSE } from '@tollgate/chassis';
import { OutboxEvent } from '@tollgate/database';
import { startServices, type TestReply, type TestRequest } from '@tollgate/testing';
import type { z } from 'zod';
import { identity } from '../src/index.js';
import type { AdminAction } from '../src/user/user-store.js';
import { AttemptLimit } from '../src/credential/attempt-limit.js';

export interface Account {
  id: number;
  username: string;
  role: Exclude<Role, 0>;
  group: string;
}

export interface Answer extends Omit<TestReply, 'body'> {
  body: { success: boolean; message: string; data: unknown; code?: string };
}

type Call = TestRequest & { as?: Account };

/** Fake billing: wallets in a map, and a switch that makes it fail. */
class FakeBilling {
  readonly opened: z.output<typeof openAccount.input>[] = [];
  readonly tried: z.output<typeof adjustQuota.input>[] = [];
  readonly adjusted: z.output<typeof adjustQuota.input>[] = [];
  refuses = false;
  needsApproval = false;
  /** Behaves like an older version, without the call `askAdjustment`. */
  isOfBefore = false;
  /** Rejects the caller's signature. */
  isStrange = false;
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
    billing.tried.push(input);
    if (billing.refuses) throw new Error('billing is away');
    billing.adjusted.push(input);
    return { before: 0, after: input.quota ?? input.delta ?? 0 };
  }

  @Answers(askAdjustment)
  ask(): z.output<typeof askAdjustment.output> {
    if (billing.isOfBefore) throw new AppError('not-found', 'unknown-path', '接口不存在', { status: 404 });
    if (billing.isStrange) throw new AppError('not-found', 'service-unknown', '接口不存在', { status: 404 });
    if (billing.needsApproval) throw new AppError('conflict', 'approval-required', '已提交审批申请 #1');
    return { before: 0, after: 0 };
  }

  @Answers(findAffiliate)
  find(
    @Body({ schema: findAffiliate.input }) { code }: z.output<typeof findAffiliate.input>,
  ): z.output<typeof findAffiliate.output> {
    return { userId: billing.codes.get(code) ?? null };
  }
}

/** Two pages per section; each row contains where it comes from. */
const twoPages = (service: string, { section, after }: { section: string; after: string | null }): PersonPage => ({
  rows: [{ service, section, page: after ?? 'first' }],
  next: after === null ? 'second' : null,
});

@Controller()
class FakeWalletsController {
  @Answers(personOfBilling)
  read(@Body({ schema: personOfBilling.input }) input: z.output<typeof personOfBilling.input>): PersonPage {
    if (billing.down) throw new Error('billing is down');
    return twoPages('billing', input);
  }
}

@Controller()
class FakeTasksController {
  @Answers(personOfChannel)
  read(@Body({ schema: personOfChannel.input }) input: z.output<typeof personOfChannel.input>): PersonPage {
    return twoPages('channel', input);
  }
}

@Controller()
class FakeLogsController {
  @Answers(personOfLogging)
  read(@Body({ schema: personOfLogging.input }) input: z.output<typeof personOfLogging.input>): PersonPage {
    return twoPages('logging', input);
  }
}

@Module({ controllers: [FakeBillingController, FakeWalletsController] })
class FakeBillingModule {}
@Module({ controllers: [FakeTasksController] })
class FakeChannelModule {}
@Module({ controllers: [FakeLogsController] })
class FakeLoggingModule {}
const neighbours = [
  defineService({ name: 'billing', module: FakeBillingModule }),
  defineService({ name: 'channel', module: FakeChannelModule }),
  defineService({ name: 'logging', module: FakeLoggingModule }),
];

/** Identity on a database of its own, with a fake billing behind the internal calls. */
export async function startIdentity(env: Record<string, string> = {}) {
  billing = new FakeBilling();
  const harness = await startServices([identity, ...neighbours], env);
  const { host } = harness;
  const em = (): EntityManager => harness.process.services.get('identity')!.app.get(EntityManager).fork();

  const request = async (method: HttpMethod, path: string, call: Call = {}): Promise<Answer> =>
    (await harness.request(method, path, call)) as Answer;

  async function internal<I extends z.ZodType, O extends z.ZodType>(
    call: InternalCall<I, O>,
    input: z.input<I>,
  ): Promise<z.output<O>> {
    const service = host.secrets.sign(SERVICE_PURPOSE, { service: 'gateway', exp: Math.floor(Date.now() / 1000) + 30 });
    const reply = await host.instances.get(call.service)!.inject({
      method: 'POST',
      url: `/internal/${call.name}`,
      headers: { 'content-type': 'application/json', [SERVICE_HEADER]: service },
      payload: JSON.stringify(input),
    });
    return call.output.parse(reply.json());
  }

  /** Counts attempts without making them. */
  const guess = async (times: number, ...rule: Parameters<AttemptLimit['admit']>): Promise<void> => {
    const attempts = harness.process.services.get('identity')!.app.get(AttemptLimit);
    for (let count = 0; count < times; count += 1) await attempts.admit(...rule);
  };

  /** An instance from the service's injector. */
  const own = <T>(type: abstract new (...args: never[]) => T): T =>
    harness.process.services.get('identity')!.app.get(type as never);

  return { request, internal, guess, em, own, host, billing, stop: () => harness.close() };
}
export type TestBed = Awaited<ReturnType<typeof startIdentity>>;

/** Sets the system up and returns the super administrator. */
export async function setUp({ request }: TestBed, form: Record<string, unknown> = {}): Promise<Account> {
  const body = { username: 'root', password: 'rootroot', confirmPassword: 'rootroot', ...form };
  await request('POST', '/api/setup', { body });
  const login = await request('POST', '/api/user/login', { body: { username: 'root', password: 'rootroot' } });
  return login.body.data as Account;
}

let counter = 0;

/** Creates a user through the API; root promotes them if needed. */
export async function addUser(
  { request }: TestBed,
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

/** The audit entries about a user, oldest first. */
export async function auditEntriesOf({ em }: TestBed, id: number): Promise<AdminAction[]> {
  const isAbout = { topic: 'admin-action', value: { $like: `%"subject":"user:${id}"%` } };
  const rows = await em().find(OutboxEvent, isAbout, { orderBy: { id: 'asc' } });
  return rows.map(({ value }) => (JSON.parse(value) as { data: AdminAction }).data);
}
