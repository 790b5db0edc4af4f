import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { kafkaClassPath } from './kafka-jars.js';

const run = promisify(execFile);
const PATIENCE_MS = 60_000;
/** Separates the fields. It occurs in no header, key or JSON of an event. */
const FIELD_END = '\u001f';

/** A record as printed by Kafka's own console consumer, a Java program. */
export interface ForeignRecord {
  headers: Record<string, string>;
  key: string;
  value: string;
}

/** Reads the first records of a topic with a client that shares no code with ours. */
export async function readByConsole(brokers: string, topic: string, count: number): Promise<ForeignRecord[]> {
  const shown = { 'print.headers': 'true', 'print.key': 'true', 'key.separator': FIELD_END };
  const formatting = Object.entries(shown).flatMap(([name, value]) => ['--formatter-property', `${name}=${value}`]);
  const { stdout } = await run(
    'java',
    [
      ...['-Xmx256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-cp', await kafkaClassPath()],
      'org.apache.kafka.tools.consumer.ConsoleConsumer',
      ...['--bootstrap-server', brokers, '--topic', topic, '--from-beginning'],
      ...['--max-messages', String(count), '--timeout-ms', String(PATIENCE_MS), ...formatting],
    ],
    { timeout: 2 * PATIENCE_MS, maxBuffer: 64 * 1024 * 1024 },
  );
  return stdout.split('\n').filter(Boolean).map(parse);
}

function parse(line: string): ForeignRecord {
  const [headers = '', key = '', value = ''] = line.split(FIELD_END);
  const pairs = headers.split(',').map((pair) => pair.split(':', 2) as [string, string]);
  return { headers: Object.fromEntries(pairs), key, value };
}
