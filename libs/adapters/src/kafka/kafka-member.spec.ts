import { describe, expect, it, jest } from '@jest/globals';
import type { Kafka } from 'kafkajs';
import { Logger } from '@tollgate/chassis';
import { KafkaMember } from './kafka-member.js';

const never = (): Promise<never> => new Promise(() => undefined);

/** A member of a group whose coordinator does not let it go. */
async function startStuckMember(): Promise<KafkaMember> {
  const done = (): Promise<void> => Promise.resolve();
  const consumer = { on: () => undefined, connect: done, subscribe: done, run: done, disconnect: never };
  const member = new KafkaMember({
    kafka: { consumer: () => consumer } as unknown as Kafka,
    log: Logger.root('silent'),
    groupId: 'billing',
    topics: ['request-consumed'],
    topicName: (name) => name,
    handle: done,
    stopMs: 50,
  });
  await member.start();
  return member;
}

describe('a member of a consumer group', () => {
  it('stops although the client hangs when it shall leave', async () => {
    const member = await startStuckMember();
    const warn = jest.spyOn(Logger.prototype, 'warn');
    await member.stop();
    expect(warn.mock.calls).toEqual([['billing could not leave its consumer group in time']]);
    warn.mockRestore();
  });
});
