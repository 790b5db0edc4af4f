import { Body, Controller, Module, type Type } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { RequestContext } from '@mikro-orm/core';
import {
  type ChannelHour,
  type Envelope,
  getOptions,
  listChannelHours,
  nameUsers,
  type OptionKey,
  pollIdentity,
} from '@tollgate/contracts';
import type { Channel as ChannelReply, CreateChannel } from '@tollgate/contracts/api/channel';
import { Answers, defineService, OptionStore } from '@tollgate/chassis';
import { type ServiceHarness, startServices, type TestReply } from '@tollgate/testing';
import { channel } from '../src/index.js';
import { Prober } from '../src/suspicion/prober.js';

/** Stands in for identity with the options that a test sets. */
const options = { revision: 0, values: {} as Record<string, string> };

@Controller()
class OptionsStandInController {
  @Answers(getOptions)
  all(): { revision: number; values: Record<string, string> } {
    return options;
  }

  @Answers(nameUsers)
  names(): object {
    return { names: { '7': 'ann' } };
  }

  @Answers(pollIdentity)
  poll(): object {
    return { optionRevision: options.revision, userRevision: 0, changedUserIds: [], complete: true };
  }
}

@Module({ controllers: [OptionsStandInController] })
class OptionsStandInModule {}

/** Stands in for logging with usage per hour and channel. */
export const loggedHours: ChannelHour[] = [];

@Controller()
class HoursStandInController {
  @Answers(listChannelHours)
  list(@Body({ schema: listChannelHours.input }) { channelIds }: { channelIds: number[] }): object {
    return { hours: loggedHours.filter(({ channelId }) => channelIds.includes(channelId)) };
  }
}

@Module({ controllers: [HoursStandInController] })
class HoursStandInModule {}

const admin = { id: 7, role: 10, username: 'ann' } as const;

export const KEY = 'sk-upstream-0123456789abcdef';

/** The channel service on a database of its own, called by an administrator. */
export class ChannelTestBed {
  private constructor(readonly harness: ServiceHarness) {}

  static async start(): Promise<ChannelTestBed> {
    const identity = defineService({ name: 'identity', module: OptionsStandInModule });
    const logging = defineService({ name: 'logging', module: HoursStandInModule });
    return new ChannelTestBed(await startServices([identity, logging, channel]));
  }

  close(): Promise<void> {
    return this.harness.close();
  }

  /** An instance from the service's injector. */
  get<T>(type: Type<T>): T {
    return this.service.app.get(type, { strict: false });
  }

  /** Runs `work` in a database session of its own, like an entry point. */
  inSession<T>(work: (em: EntityManager) => Promise<T>): Promise<T> {
    const em = this.get<EntityManager>(EntityManager as unknown as Type<EntityManager>);
    return RequestContext.create(em, () => work(em));
  }

  query<Row extends object>(sql: string, params: unknown[] = []): Promise<Row[]> {
    return this.inSession((em) => em.execute<Row[]>(sql, params));
  }

  /** Removes the channels of the test before, and sets the options of the next one. */
  async clear(values: Partial<Record<OptionKey, string>> = {}): Promise<void> {
    await this.get(Prober).settled();
    await this.query('delete from "channel" returning 1');
    await this.setOptions(values);
  }

  async setOptions(values: Partial<Record<OptionKey, string>>): Promise<void> {
    options.revision += 1;
    options.values = values as Record<string, string>;
    await this.get(OptionStore as unknown as Type<OptionStore>).refresh();
  }

  call<T = unknown>(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    body?: unknown,
    query: Record<string, string | number> = {},
  ): Promise<TestReply<T>> {
    return this.harness.request<T>(method, path, { as: admin, body, query });
  }

  /** `PUT /api/channel` by a super administrator. */
  putAsRoot<T = unknown>(body: unknown): Promise<TestReply<T>> {
    return this.harness.request<T>('PUT', '/api/channel', { as: { ...admin, role: 100 }, body });
  }

  /** Returns the ids of the created channels. */
  async create(form: Partial<CreateChannel> = {}): Promise<number[]> {
    const { body } = await this.call<{ ids: number[] }>('POST', '/api/channel', {
      name: 'a',
      key: KEY,
      type: 1,
      models: 'gpt-4o-mini',
      ...form,
    });
    return dataOf(body).ids;
  }

  async createOne(form: Partial<CreateChannel> = {}): Promise<number> {
    const [id] = await this.create(form);
    if (id === undefined) throw new Error('no channel was made');
    return id;
  }

  async find(id: number): Promise<ChannelReply> {
    return dataOf((await this.call<ChannelReply>('GET', `/api/channel/${id}`)).body);
  }

  /** The data of a topic's events, oldest first, whether or not they are still in the outbox. */
  async events<T extends object>(topic: string): Promise<T[]> {
    const rows = await this.query<{ value: string }>(
      'select "value" from "outbox_event" where "topic" = ? order by "id"',
      [topic],
    );
    return rows.map(({ value }) => (JSON.parse(value) as { data: T }).data);
  }

  async eventsOf<T extends object>(topic: string, channelId: number): Promise<T[]> {
    const all = await this.events<T & { channelId: number }>(topic);
    return all.filter((data) => data.channelId === channelId);
  }

  abilities(channelId: number): Promise<{ group: string; model: string; enabled: boolean }[]> {
    return this.query('select "group", "model", "enabled" from "ability" where "channel_id" = ? order by 1, 2', [
      channelId,
    ]);
  }

  private get service() {
    const service = this.harness.process.services.get('channel');
    if (!service) throw new Error('the channel service does not run');
    return service;
  }
}

export function dataOf<T>(body: Envelope<T>): T {
  if (!body.success) throw new Error(`refused: ${body.message}`);
  return body.data as T;
}
