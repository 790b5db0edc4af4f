import { describe, expect, it } from '@jest/globals';
import type { Admin, Kafka } from 'kafkajs';
import { Logger } from '@tollgate/chassis';
import { KafkaAdmin } from './kafka-connection.js';

/** Clients that know nothing of each other's connections; the first ones are refused. */
class Clients {
  made = 0;
  constructor(private readonly refusals: readonly object[]) {}

  admin(): Partial<Admin> {
    const refusal = this.refusals[this.made];
    this.made += 1;
    const listTopics = (): Promise<string[]> => (refusal ? Promise.reject(refusal as Error) : Promise.resolve(['a']));
    const nothing = (): Promise<void> => Promise.resolve();
    return { connect: nothing, disconnect: nothing, listTopics };
  }
}

const adminOver = (clients: Clients): KafkaAdmin =>
  new KafkaAdmin(clients as unknown as Kafka, ['nowhere:9092'], Logger.root('silent'));

describe('KafkaAdmin', () => {
  it('asks again by a new client where the leader of a partition is being chosen', async () => {
    const clients = new Clients([{ type: 'LEADER_NOT_AVAILABLE' }, { type: 'NOT_LEADER_FOR_PARTITION' }]);
    expect(await adminOver(clients).use((admin) => admin.listTopics())).toEqual(['a']);
    expect(clients.made).toBe(3);
  });

  it('asks again while the coordinator of a group is not ready, as in the first moments of a new Kafka', async () => {
    const types = ['GROUP_COORDINATOR_NOT_AVAILABLE', 'NOT_COORDINATOR_FOR_GROUP', 'GROUP_LOAD_IN_PROGRESS'];
    const clients = new Clients(types.map((type) => ({ type })));
    expect(await adminOver(clients).use((admin) => admin.listTopics())).toEqual(['a']);
    expect(clients.made).toBe(4);
  });

  it('passes on every other refusal, and begins anew with the next call', async () => {
    const clients = new Clients([{ type: 'TOPIC_AUTHORIZATION_FAILED' }]);
    const admin = adminOver(clients);
    await expect(admin.use((open) => open.listTopics())).rejects.toEqual({ type: 'TOPIC_AUTHORIZATION_FAILED' });
    expect(await admin.use((open) => open.listTopics())).toEqual(['a']);
  });
});
