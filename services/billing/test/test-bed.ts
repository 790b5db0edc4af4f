import { EntityManager, RequestContext } from '@mikro-orm/postgresql';
import { jest } from '@jest/globals';
import type { Type } from '@nestjs/common';
import { type EventOf, type InternalCall, requestConsumed, type RequestConsumed } from '@tollgate/contracts';
import { InternalClient, judged, toEnvelope } from '@tollgate/chassis';
import { bindPeriod, bound } from '@tollgate/database';
import { type ServiceHarness, startServices } from '@tollgate/testing';
import type { z } from 'zod';
import { billing } from '../src/index.js';
import { fakeNeighbours, type Neighbours } from './neighbours.js';

// The suites use real servers, on a machine that may be busy with other suites.
jest.setTimeout(60_000);

export interface BillingTestBed {
  harness: ServiceHarness;
  neighbours: Neighbours;
  get<T>(token: Type<T> | (abstract new (...args: never[]) => T)): T;
  call<Input extends z.ZodType, Output extends z.ZodType>(
    call: InternalCall<Input, Output>,
    input: z.input<Input>,
  ): Promise<z.output<Output>>;
  /** Runs the task in a database session of its own, like a request or a batch. */
  inContext<T>(task: () => Promise<T>): Promise<T>;
  sql<Row extends object>(query: string, params?: unknown[]): Promise<Row[]>;
  /** Data of the events in the outbox, oldest first. */
  outbox<Data>(topic: string): Promise<Data[]>;
  /** What a check of the books reports, for all time. */
  faultsOf(check: string): Promise<string[]>;
  setOptions(options: Record<string, string>): void;
  setAbilities(abilities: Neighbours['abilities']): void;
  close(): Promise<void>;
}

export async function startBilling(
  options: Record<string, string> = {},
  environment: Record<string, string> = {},
): Promise<BillingTestBed> {
  const neighbours = fakeNeighbours();
  neighbours.options = { ...options };
  const harness = await startServices([...neighbours.definitions, billing], environment);
  const app = harness.process.services.get('billing')?.app;
  if (!app) throw new Error('billing did not start');
  const em = app.get(EntityManager);
  const sql = <Row extends object>(query: string, params: unknown[] = []): Promise<Row[]> =>
    em.fork().execute<Row[]>(query, params);
  return {
    harness,
    neighbours,
    get: (token) => app.get(token as Type),
    call: (call, input) => app.get(InternalClient).call(call, input),
    inContext: (task) => RequestContext.create(em, task),
    sql,
    async outbox<Data>(topic: string) {
      const rows = await sql<{ value: string }>(`select "value" from "outbox_event" where "topic" = ? order by "id"`, [
        topic,
      ]);
      return rows.map((row) => (JSON.parse(row.value) as { data: Data }).data);
    },
    async faultsOf(name) {
      const check = billing.database?.checks?.find((candidate) => candidate.name === name);
      if (!check) throw new Error(`no check that ${name}`);
      const period = { from: 0, to: Date.now() + 86_400_000 };
      const rows = await bound<{ subject: string }>(em.fork(), bindPeriod(check.query, period), []);
      return (check.judge ? judged(rows, check.judge) : rows).map(({ subject }) => subject);
    },
    setOptions(values) {
      Object.assign(neighbours.options, values);
      neighbours.optionRevision += 1;
      harness.host.revisions.learn({ option: neighbours.optionRevision });
    },
    setAbilities(abilities) {
      neighbours.abilities = abilities;
      neighbours.routingRevision += 1;
      harness.host.revisions.learn({ routing: neighbours.routingRevision });
    },
    close: () => harness.close(),
  };
}

/** A consumption event; by default a cheap completed chat. */
export function consumed(
  data: Partial<RequestConsumed> & Pick<RequestConsumed, 'userId'>,
  id?: string,
): EventOf<typeof requestConsumed> {
  return toEnvelope(
    requestConsumed,
    'relay',
    {
      tokenId: 0,
      channelId: 1,
      model: 'gpt-4o-mini',
      group: 'default',
      endpoint: 'chat',
      usage: { semantics: 'openai', inputTokens: 10, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 },
      usageSource: 'upstream',
      priceVersion: 'none',
      quota: 10,
      outcome: 'completed',
      attempts: [],
      replicaEpoch: 'epoch-a',
      isStream: false,
      startedAt: '2026-11-21T03:00:00.000Z',
      durationMs: 5,
      ...data,
    },
    id,
  );
}
