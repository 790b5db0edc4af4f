import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '@tollgate/chassis';
import { Kafka, logLevel } from 'kafkajs';
import { kafkaClassPath } from './kafka-jars.js';

const run = promisify(execFile);
const READY_MS = 60_000;
const STOP_MS = 15_000;

/** Ports are part of a formatted folder: the broker advertises the one and its quorum votes by the other. */
interface Ports {
  broker: number;
  controller: number;
}

export interface LocalKafkaOptions {
  /** Ctrl-C in the terminal must not take the broker away from processes that still drain. */
  ownSession?: boolean;
  /** More lines of its configuration, which win over ours. */
  properties?: (ports: Ports) => string;
  /** More words of the command that formats its folder. */
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

/** One broker on this machine, in a folder that it can be stopped, killed and started in again under the same address. */
export class LocalKafka {
  private child: ChildProcess | undefined;
  private ended: Promise<void> = Promise.resolve();
  private readonly killOnExit = (): void => void this.child?.kill('SIGKILL');

  private constructor(
    private readonly folder: string,
    private readonly classPath: string,
    private readonly ports: Ports,
    /** Ctrl-C in the terminal must not take the broker away from processes that still drain. */
    private readonly ownSession: boolean,
  ) {}

  /** Makes or opens the folder; `start` runs the broker. */
  static async open(folder: string, options: LocalKafkaOptions = {}): Promise<LocalKafka> {
    const { ownSession = false, properties: more = () => '', format: words = [] } = options;
    const classPath = await kafkaClassPath();
    const remembered = join(folder, 'ports.json');
    if (existsSync(remembered)) {
      const ports = JSON.parse(await readFile(remembered, 'utf8')) as Ports;
      return new LocalKafka(folder, classPath, ports, ownSession);
    }
    const ports = { broker: await freePort(), controller: await freePort() };
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'server.properties'), properties(ports, folder) + more(ports));
    const format = ['-cp', classPath, 'kafka.tools.StorageTool', 'format', '-t', 'VG9sbGdhdGVUZXN0cw0001'];
    await run('java', [...format, '-c', join(folder, 'server.properties'), '--ignore-formatted', ...words]);
    await writeFile(remembered, JSON.stringify(ports));
    return new LocalKafka(folder, classPath, ports, ownSession);
  }

  get brokers(): string {
    return `127.0.0.1:${this.ports.broker}`;
  }

  get pid(): number | undefined {
    return this.child?.pid;
  }

  async start(): Promise<void> {
    if (this.child) return;
    const memory = ['-Xms128m', '-Xmx512m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];
    const args = [...memory, '-cp', this.classPath, 'kafka.Kafka', join(this.folder, 'server.properties')];
    const child = spawn('java', args, { stdio: ['ignore', 'pipe', 'pipe'], detached: this.ownSession });
    this.child = child;
    process.on('exit', this.killOnExit);
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => (said = `${said}${chunk.toString()}`.slice(-4_000)));
    this.ended = new Promise((resolve) => {
      child.once('error', () => resolve());
      child.once('exit', () => resolve());
    });
    void this.ended.then(() => {
      this.child = undefined;
      process.off('exit', this.killOnExit);
    });
    try {
      await this.untilReady();
    } catch (error) {
      await this.kill();
      throw new Error(`The Kafka broker did not start: ${said || (error as Error).message}`, { cause: error });
    }
  }

  /** Ready is an answer of both coordinators and not an open port. */
  private async untilReady(): Promise<void> {
    const kafka = new Kafka({
      brokers: [this.brokers],
      logLevel: logLevel.NOTHING,
      connectionTimeout: 1_000,
      retry: { retries: 0 },
    });
    const deadline = performance.now() + READY_MS;
    for (;;) {
      const admin = kafka.admin();
      try {
        await admin.connect();
        await admin.listTopics();
        await admin.fetchOffsets({ groupId: 'tollgate-ready' });
        return;
      } catch (error) {
        if (!this.child || performance.now() > deadline) throw error;
        await pause(200);
      } finally {
        await admin.disconnect();
      }
    }
  }

  untilEnded(): Promise<void> {
    return this.ended;
  }

  async stop(): Promise<void> {
    const child = this.child;
    child?.kill('SIGTERM');
    const late = setTimeout(() => child?.kill('SIGKILL'), STOP_MS);
    await this.ended;
    clearTimeout(late);
  }

  async kill(): Promise<void> {
    this.child?.kill('SIGKILL');
    await this.ended;
  }
}
