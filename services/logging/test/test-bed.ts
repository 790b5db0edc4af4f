import { randomBytes } from 'node:crypto';
import { RequestContext } from '@mikro-orm/core';
import { EntityManager } from '@mikro-orm/postgresql';
import { Body, Controller, Module } from '@nestjs/common';
import {
  allEvents,
  type EventContract,
  type EventEnvelope,
  type EventOf,
  getOptions,
  getPrices,
  type InternalCall,
  nameChannels,
  nameTokens,
  nameUsers,
  pollIdentity,
  type PriceDocument,
  requestConsumed,
  type RequestConsumed,
  resolveTokens,
  resolveUsers,
  type TokenRecord,
} from '@tollgate/contracts';
import type { Log, LogOther } from '@tollgate/contracts/api/log';
import { Answers, defineService, OptionStore, SERVICE_HEADER, SERVICE_PURPOSE, toEnvelope } from '@tollgate/chassis';
import { eventually, startServices } from '@tollgate/testing';
import { v7 } from 'uuid';
import type { z } from 'zod';
import { logging } from '../src/index.js';

type Ids = z.output<typeof nameUsers.input>;
type Names = z.output<typeof nameUsers.output>;
type Prices = z.output<typeof getPrices.output>;

/** The price version that the events of this suite name. */
const priceVersion: PriceDocument = {
  id: 'v1',
  modelRatio: { 'gpt-4o': 1.25 },
  completionRatio: {},
  modelPrice: {},
  cacheRatio: { 'gpt-4o': 0.5 },
  imageRatio: {},
  groupRatio: { default: 1 },
  quotaPerUnit: 500_000,
};

/** Fake replies of the other services. */
class Neighbours {
  readonly names = {
    users: new Map<number, string>(),
    tokens: new Map<number, string>(),
    channels: new Map<number, string>(),
  };
  readonly tokens = new Map<string, TokenRecord>();
  readonly banned = new Set<number>();
  readonly asked = { users: 0, tokens: 0, channels: 0, prices: 0 };
  readonly prices = new Map([[priceVersion.id, priceVersion]]);
  down = false;

  answer(kind: 'users' | 'tokens' | 'channels', ids: readonly number[]): Names {
    this.asked[kind] += 1;
    if (this.down) throw new Error('down');
    return {
      names: Object.fromEntries(
        ids.flatMap((id) => (this.names[kind].has(id) ? [[String(id), this.names[kind].get(id)!]] : [])),
      ),
    };
  }
}

let neighbours = new Neighbours();

@Controller()
class FakeIdentityController {
  @Answers(getOptions)
  options(): z.output<typeof getOptions.output> {
    return { revision: 0, values: {} };
  }

  @Answers(pollIdentity)
  poll(): z.output<typeof pollIdentity.output> {
    return { optionRevision: 0, userRevision: 0, changedUserIds: [], complete: true };
  }

  @Answers(nameUsers)
  users(@Body({ schema: nameUsers.input }) { ids }: Ids): Names {
    return neighbours.answer('users', ids);
  }

  @Answers(resolveUsers)
  resolve(@Body({ schema: resolveUsers.input }) { ids }: Ids): z.output<typeof resolveUsers.output> {
    const users = ids.map((id) => ({
      id,
      username: `user${id}`,
      displayName: '',
      role: 1,
      status: neighbours.banned.has(id) ? 2 : 1,
      group: 'default',
      sessionVersion: 1,
      acceptUnsetModelRatio: false,
      revision: 1,
    }));
    return { users };
  }
}

@Controller()
class FakeBillingController {
  @Answers(nameTokens)
  tokens(@Body({ schema: nameTokens.input }) { ids }: Ids): Names {
    return neighbours.answer('tokens', ids);
  }

  @Answers(getPrices)
  prices(@Body({ schema: getPrices.input }) { id = 'v1' }: z.output<typeof getPrices.input>): Prices {
    neighbours.asked.prices += 1;
    return { revision: 1, document: neighbours.prices.get(id) ?? null };
  }

  @Answers(resolveTokens)
  resolve(
    @Body({ schema: resolveTokens.input }) input: z.output<typeof resolveTokens.input>,
  ): z.output<typeof resolveTokens.output> {
    return { tokens: input.keyHashes.flatMap((hash) => neighbours.tokens.get(hash) ?? []) };
  }
}

@Controller()
class FakeChannelController {
  @Answers(nameChannels)
  channels(@Body({ schema: nameChannels.input }) { ids }: Ids): Names {
    return neighbours.answer('channels', ids);
  }
}

@Module({ controllers: [FakeIdentityController] })
class FakeIdentityModule {}
@Module({ controllers: [FakeBillingController] })
class FakeBillingModule {}
@Module({ controllers: [FakeChannelController] })
class FakeChannelModule {}

/** A finished stream that ended a few seconds ago: 100 prompt tokens, 20 completion tokens, 225 units. */
export function consumed(
  change: Partial<RequestConsumed> & { userId: number },
  id: string = v7(),
): EventOf<typeof requestConsumed> {
  return toEnvelope(
    requestConsumed,
    'relay',
    {
      tokenId: 9,
      channelId: 3,
      model: 'gpt-4o',
      group: 'default',
      endpoint: 'chat',
      usage: { semantics: 'openai', inputTokens: 100, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 20 },
      usageSource: 'upstream',
      priceVersion: 'v1',
      quota: 225, // (100 + 20 × 4) × 1.25
      outcome: 'completed',
      attempts: [{ channelId: 3, channelType: 1, class: 'ok', status: 200, durationMs: 1500 }],
      replicaEpoch: 'test',
      isStream: true,
      startedAt: new Date(Date.now() - 5_000).toISOString(),
      durationMs: 1_500,
      firstTokenMs: 300,
      ...change,
    },
    id,
  );
}

/** Logging on a database of its own, with fake identity, billing and channel services. */
export async function startLogging(environment?: Record<string, string>) {
  neighbours = new Neighbours();
  const harness = await startServices(
    [
      defineService({ name: 'identity', module: FakeIdentityModule }),
      defineService({ name: 'billing', module: FakeBillingModule }),
      defineService({ name: 'channel', module: FakeChannelModule }),
      logging,
    ],
    environment,
  );
  const { host, process } = harness;
  const { app } = process.services.get('logging')!;
  let nextUser = 1;
  let optionRevision = 1;

  /** Appends the events unchanged and waits until logging has consumed all of them. */
  async function publish(...events: readonly EventEnvelope[]): Promise<void> {
    for (const event of events)
      await host.eventLog.append(event.type, [{ key: event.subject, value: JSON.stringify(event) }]);
    await settled();
  }

  /** Appends all events under one key at once, so that they arrive as one batch. */
  async function publishBatch(events: readonly EventEnvelope[]): Promise<void> {
    const [first] = events;
    if (first)
      await host.eventLog.append(
        first.type,
        events.map((event) => ({ key: event.subject, value: JSON.stringify(event) })),
      );
    await settled();
  }

  async function settled(): Promise<void> {
    const topics = allEvents.map(({ name }) => name);
    await eventually('logging takes its events', async () => {
      const [ends, done] = await Promise.all([host.eventLog.ends(topics), host.eventLog.committed('logging', topics)]);
      return Object.entries(ends).every(
        ([topic, parts]) =>
          !consumedTopics.has(topic) ||
          Object.entries(parts).every(([part, end]) => (done[topic]?.[Number(part)] ?? 0n) >= end),
      );
    });
  }

  async function internal<I extends z.ZodType, O extends z.ZodType>(
    call: InternalCall<I, O>,
    input: z.input<I>,
  ): Promise<z.output<O>> {
    const service = host.secrets.sign(SERVICE_PURPOSE, { service: 'channel', exp: Math.floor(Date.now() / 1000) + 30 });
    const headers = { 'content-type': 'application/json', [SERVICE_HEADER]: service };
    const reply = await host.instances
      .get(call.service)!
      .inject({ method: 'POST', url: `/internal/${call.name}`, headers, payload: JSON.stringify(input) });
    return call.output.parse(reply.json());
  }

  return {
    ...harness,
    neighbours,
    publish,
    publishBatch,
    internal,
    get: <T>(type: abstract new (...args: never[]) => T): T => app.get(type as never),
    /** Runs `work` in a session of its own, like a request. */
    inContext: <T>(work: () => Promise<T>): Promise<T> => RequestContext.create(app.get(EntityManager), work),
    em: (): EntityManager => app.get(EntityManager).fork(),
    setOptions: (values: Record<string, string>) => app.get(OptionStore).apply((optionRevision += 1), values),
    /** A user that no other test uses. */
    newUser(): number {
      const id = nextUser++;
      neighbours.names.users.set(id, `user${id}`);
      return id;
    },
    newEvent: <C extends EventContract>(contract: C, data: EventOf<C>['data']) => toEnvelope(contract, 'test', data),
  };
}
export type TestBed = Awaited<ReturnType<typeof startLogging>>;

const consumedTopics = new Set([
  'request-consumed',
  'quota-granted',
  'quota-adjusted',
  'redemption-redeemed',
  'top-up-completed',
  'top-up-refunded',
  'admin-action',
  'price-published',
  'channel-disabled',
  'channel-tested',
  'channel-enabled',
  'user-erased',
]);

export type { LogPage } from '@tollgate/contracts/api/log';

export const otherOf = (log: Log | undefined): LogOther => JSON.parse(log?.other || '{}') as LogOther;

export const newKey = (): string => randomBytes(24).toString('hex');
