import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '@tollgate/embedded';
import { Kafka, logLevel } from 'kafkajs';
import { kafkaClassPath } from './kafka-jars.js';
import { LocalServer, type LocalServerPlan } from './local-server.js';

const run = promisify(execFile);
const READY_MS = 60_000;

/**
 * A broker's ports. They belong to its data folder, because the broker advertises one of them and its quorum votes use
 * the other.
 */
interface Ports {
  broker: number;
  controller: number;
}

interface LocalKafkaOptions {
  /**
   * Gives the broker a process session of its own, so that neither Ctrl-C nor the end of this process stops it while
   * other processes drain.
   */
  ownSession?: boolean;
  /** Additional lines of configuration, which override ours. */
  properties?: (ports: Ports) => string;
  /** Additional arguments of the command that formats the folder. */
  format?: readonly string[];
}

const properties = ({ broker, controller }: Ports, folder: string): string => `process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:${controller}
listeners=PLAINTEXT://127.0.0.1:${broker},CONTROLLER://127.0.0.1:${controller}
advertised.listeners=PLAINTEXT://127.0.0.1:${broker}
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAINTEXT
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
log.dirs=${join(folder, 'data')}
num.partitions=3
auto.create.topics.enable=false
offsets.topic.replication.factor=1
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=4
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
group.initial.rebalance.delay.ms=0
log.cleaner.dedupe.buffer.size=16777216
`;

/** A Kafka broker of one node. Its data folder stores its ports, so that a restart uses the same ones. */
export class LocalKafka extends LocalServer {
  protected readonly plan: LocalServerPlan;

  private constructor(
    private readonly ports: Ports,
    folder: string,
    classPath: string,
    ownSession: boolean,
  ) {
    super();
    const memory = ['-Xms128m', '-Xmx512m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];
    this.plan = {
      name: 'The Kafka broker',
      program: 'java',
      args: [...memory, '-cp', classPath, 'kafka.Kafka', join(folder, 'server.properties')],
      readyMs: READY_MS,
      ownSession,
    };
  }

  /** Creates or opens the data folder; `start` then runs the broker. */
  static async open(folder: string, options: LocalKafkaOptions = {}): Promise<LocalKafka> {
    const { ownSession = false, properties: more = () => '', format: words = [] } = options;
    const classPath = await kafkaClassPath();
    const remembered = join(folder, 'ports.json');
    if (existsSync(remembered)) {
      const ports = JSON.parse(await readFile(remembered, 'utf8')) as Ports;
      return new LocalKafka(ports, folder, classPath, ownSession);
    }
    const ports = { broker: await freePort(), controller: await freePort() };
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'server.properties'), properties(ports, folder) + more(ports));
    const format = ['-cp', classPath, 'kafka.tools.StorageTool', 'format', '-t', 'VG9sbGdhdGVUZXN0cw0001'];
    await run('java', [...format, '-c', join(folder, 'server.properties'), '--ignore-formatted', ...words]);
    await writeFile(remembered, JSON.stringify(ports));
    return new LocalKafka(ports, folder, classPath, ownSession);
  }

  get brokers(): string {
    return `127.0.0.1:${this.ports.broker}`;
  }

  /** Ready means that both coordinators answer; an open port is not enough. */
  protected async answers(): Promise<boolean> {
    const kafka = new Kafka({
      brokers: [this.brokers],
      logLevel: logLevel.NOTHING,
      connectionTimeout: 1_000,
      retry: { retries: 0 },
    });
    const admin = kafka.admin();
    try {
      await admin.connect();
      await admin.listTopics();
      await admin.fetchOffsets({ groupId: 'tollgate-ready' });
      return true;
    } finally {
      await admin.disconnect();
    }
  }
}
