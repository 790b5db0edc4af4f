import { KafkaEventLog } from '@tollgate/adapters';
import { Logger, type LogRecord } from '@tollgate/chassis';
import type { Cluster } from './cluster.js';

/** Appends a record to the event log of a cluster with the topic prefix `prefix`, as a process does that was disconnected. */
export async function appendOnCluster(
  { run }: Cluster,
  prefix: string,
  topic: string,
  record: LogRecord,
): Promise<void> {
  const brokers = run().servers.find(({ name }) => name === 'Kafka')?.address ?? '';
  const eventLog = new KafkaEventLog({ brokers: brokers.split(','), log: Logger.root('silent'), prefix });
  // The topic exists, and keeps its partitions.
  await eventLog.start([{ name: topic, partitions: 1 }]);
  try {
    await eventLog.append(topic, [record]);
  } finally {
    await eventLog.stop();
  }
}
