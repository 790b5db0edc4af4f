import { Body, Controller, Module } from '@nestjs/common';
import {
  digestRequests,
  findChange,
  findRequest,
  findTask,
  getAbilities,
  getOptions,
  listDoubtfulRequests,
  nameChannels,
  pollIdentity,
  resolveUsers,
  sumChannelUsage,
  type TaskRecord,
} from '@tollgate/contracts';
import { Answers, defineService, type ServiceDefinition } from '@tollgate/chassis';
import type { Log } from '@tollgate/contracts/api/log';
import type { z } from 'zod';

type User = z.output<typeof resolveUsers.output>['users'][number];

/** The replies of the services that billing calls; tests change them. */
export interface Neighbours {
  options: Record<string, string>;
  optionRevision: number;
  users: Map<number, Partial<User>>;
  /** Raised by a test that changes `users`; all of them then count as changed. */
  userRevision: number;
  /** Ids of deleted users. */
  gone: Set<number>;
  abilities: { group: string; model: string }[];
  routingRevision: number;
  /** Ids of channels that do not exist. */
  goneChannels: Set<number>;
  /** The log row returned for any request. */
  log: Log | undefined;
  /** The event position returned for any movement. */
  place: z.output<typeof findRequest.output>['place'];
  /** The task returned for any request. */
  task: TaskRecord | null;
  /** The usage log's digest of a period; without it, nothing can be compared. */
  digest?: (input: z.output<typeof digestRequests.input>) => Promise<z.output<typeof digestRequests.output>>;
  /** The usage of channels. */
  usage: z.output<typeof sumChannelUsage.output>['sums'];
  /** Whether the log lacks rows of the requested day. */
  logCleared: boolean;
  /** The last call about doubtful requests. */
  asked: z.output<typeof listDoubtfulRequests.input> | undefined;
  definitions: ServiceDefinition[];
}

/** Stand-ins for identity, channel and logging: only their internal calls, from memory. */
export function fakeNeighbours(): Neighbours {
  const state: Neighbours = {
    options: {},
    optionRevision: 1,
    users: new Map(),
    userRevision: 0,
    gone: new Set(),
    abilities: [],
    routingRevision: 1,
    goneChannels: new Set(),
    log: undefined,
    place: null,
    task: null,
    usage: [],
    logCleared: false,
    asked: undefined,
    definitions: [],
  };

  @Controller()
  class FakeIdentity {
    @Answers(getOptions)
    options(): z.output<typeof getOptions.output> {
      return { revision: state.optionRevision, values: { ...state.options } };
    }

    @Answers(pollIdentity)
    poll(
      @Body({ schema: pollIdentity.input }) { usersSince }: z.output<typeof pollIdentity.input>,
    ): z.output<typeof pollIdentity.output> {
      const { optionRevision, userRevision } = state;
      const changedUserIds = usersSince < userRevision ? [...state.users.keys()] : [];
      return { optionRevision, userRevision, changedUserIds, complete: true };
    }

    @Answers(resolveUsers)
    users(
      @Body({ schema: resolveUsers.input }) { ids }: z.output<typeof resolveUsers.input>,
    ): z.output<typeof resolveUsers.output> {
      const present = ids.filter((id) => !state.gone.has(id));
      const users = present.map((id) => ({
        id,
        username: `user${id}`,
        displayName: '',
        role: 1,
        status: 1,
        group: 'default',
        sessionVersion: 0,
        acceptUnsetModelRatio: false,
        revision: 0,
        ...state.users.get(id),
      }));
      return { users };
    }
  }

  @Controller()
  class FakeChannel {
    @Answers(getAbilities)
    abilities(): z.output<typeof getAbilities.output> {
      return { revision: state.routingRevision, abilities: state.abilities };
    }

    @Answers(findTask)
    task(): z.output<typeof findTask.output> {
      return { task: state.task };
    }

    @Answers(nameChannels)
    names(
      @Body({ schema: nameChannels.input }) { ids }: z.output<typeof nameChannels.input>,
    ): z.output<typeof nameChannels.output> {
      const present = ids.filter((id) => !state.goneChannels.has(id));
      return { names: Object.fromEntries(present.map((id) => [id, `channel${id}`])) };
    }
  }

  @Controller()
  class FakeLogging {
    @Answers(findRequest)
    request(): z.output<typeof findRequest.output> {
      return { log: state.log ?? null, place: state.place };
    }

    @Answers(sumChannelUsage)
    usage(): z.output<typeof sumChannelUsage.output> {
      return { sums: state.usage, isComplete: true };
    }

    @Answers(listDoubtfulRequests)
    doubtful(
      @Body({ schema: listDoubtfulRequests.input }) asked: z.output<typeof listDoubtfulRequests.input>,
    ): z.output<typeof listDoubtfulRequests.output> {
      state.asked = asked;
      return { requests: [], total: 0, isComplete: !state.logCleared };
    }

    @Answers(findChange)
    change(): z.output<typeof findChange.output> {
      return { change: { actorId: 1, subject: 'option:ModelRatio', happenedAt: 1 } };
    }

    @Answers(digestRequests)
    digest(
      @Body({ schema: digestRequests.input }) input: z.output<typeof digestRequests.input>,
    ): Promise<z.output<typeof digestRequests.output>> {
      const nothing = { requests: '0', units: '0', digest: '0', isComparable: false };
      return state.digest?.(input) ?? Promise.resolve(nothing);
    }
  }

  @Module({ controllers: [FakeIdentity] })
  class FakeIdentityModule {}
  @Module({ controllers: [FakeChannel] })
  class FakeChannelModule {}
  @Module({ controllers: [FakeLogging] })
  class FakeLoggingModule {}
  state.definitions = [
    defineService({ name: 'identity', module: FakeIdentityModule }),
    defineService({ name: 'channel', module: FakeChannelModule }),
    defineService({ name: 'logging', module: FakeLoggingModule }),
  ];
  return state;
}
