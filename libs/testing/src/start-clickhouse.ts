import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { get as getByTls } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '@tollgate/chassis';
import type { TestCertificates } from './certificates.js';

const READY_MS = 60_000;

export interface ClickhouseAccess {
  user: string;
  password: string;
}

const tls = ({ certificate, key }: TestCertificates): string => `<openSSL><server>
  <certificateFile>${certificate}</certificateFile><privateKeyFile>${key}</privateKeyFile>
  <verificationMode>none</verificationMode><loadDefaultCAFile>false</loadDefaultCAFile>
</server></openSSL>`;

const config = (folder: string, port: number, secured?: TestCertificates): string => `<yandex>
  <logger><level>none</level><console>1</console></logger>
  ${secured ? `<https_port>${port}</https_port>${tls(secured)}` : `<http_port>${port}</http_port>`}<listen_host>127.0.0.1</listen_host>
  <path>${folder}/data/</path><tmp_path>${folder}/tmp/</tmp_path><mark_cache_size>5368709</mark_cache_size>
  <users_config>users.xml</users_config><default_profile>default</default_profile><default_database>default</default_database>
</yandex>`;

const users = ({ user, password }: ClickhouseAccess): string => `<yandex>
  <profiles><default><max_memory_usage>1000000000</max_memory_usage></default></profiles>
  <users><${user}><password>${password}</password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></${user}></users>
  <quotas><default/></quotas>
</yandex>`;

/** One `clickhouse-server` on this machine, which can be killed and started again under the same address. */
export class LocalClickhouse implements ClickhouseAccess {
  readonly user = 'tollgate';
  readonly password = 'a password of the tests';
  private child: ChildProcess | undefined;
  private ended: Promise<void> = Promise.resolve();
  private readonly killOnExit = (): void => void this.child?.kill('SIGKILL');

  private constructor(
    private readonly port: number,
    private readonly folder: string,
    private readonly secured: TestCertificates | undefined,
  ) {}

  /** In a folder that goes away with it. With certificates it answers by TLS alone. */
  static async open(secured?: TestCertificates): Promise<LocalClickhouse> {
    const folder = mkdtempSync(join(tmpdir(), 'tollgate-clickhouse-'));
    const server = new LocalClickhouse(await freePort(), folder, secured);
    for (const name of ['data', 'tmp']) mkdirSync(join(folder, name));
    writeFileSync(join(folder, 'config.xml'), config(folder, server.port, secured));
    writeFileSync(join(folder, 'users.xml'), users(server));
    await server.start();
    return server;
  }

  get url(): string {
    return `http${this.secured ? 's' : ''}://127.0.0.1:${this.port}`;
  }

  /** The variables by which a process is told of it. */
  get environment(): Record<string, string> {
    return {
      TOLLGATE_LOG_STORE: 'clickhouse',
      CLICKHOUSE_URL: this.url,
      CLICKHOUSE_USER: this.user,
      CLICKHOUSE_PASSWORD: this.password,
      ...(this.secured && { CLICKHOUSE_CA_FILE: this.secured.ca }),
    };
  }

  async start(): Promise<void> {
    const file = join(this.folder, 'config.xml');
    const child = spawn('clickhouse-server', [`--config-file=${file}`], { stdio: 'ignore', cwd: this.folder });
    this.child = child;
    process.on('exit', this.killOnExit);
    this.ended = new Promise((resolve) => {
      child.once('error', () => resolve());
      child.once('exit', () => resolve());
    });
    void this.ended.then(() => {
      this.child = undefined;
      process.off('exit', this.killOnExit);
    });
    await this.untilReady();
  }

  private async untilReady(): Promise<void> {
    const deadline = performance.now() + READY_MS;
    while (!(await this.answers())) {
      if (!this.child) throw new Error('clickhouse-server ended at once, or is not installed');
      if (performance.now() > deadline) throw new Error('clickhouse-server does not answer');
      await pause(50);
    }
  }

  private answers(): Promise<boolean> {
    const { secured, url } = this;
    return new Promise((resolve) => {
      const told = ({ statusCode }: { statusCode?: number }): void => resolve(statusCode === 200);
      const asked = secured
        ? getByTls(`${url}/ping`, { ca: readFileSync(secured.ca) }, told)
        : get(`${url}/ping`, told);
      asked.once('error', () => resolve(false));
    });
  }

  /** Holds it up in the middle of whatever it does; connections are taken and nothing is answered. */
  pause(): void {
    this.child?.kill('SIGSTOP');
  }

  resume(): void {
    this.child?.kill('SIGCONT');
  }

  async kill(): Promise<void> {
    this.child?.kill('SIGKILL');
    await this.ended;
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
