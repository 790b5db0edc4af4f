import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { get as getByTls } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@tollgate/embedded';
import type { TestCertificates } from './certificates.js';
import { LocalServer, type LocalServerPlan } from './local-server.js';

const READY_MS = 60_000;

interface ClickhouseAccess {
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

export class LocalClickhouse extends LocalServer implements ClickhouseAccess {
  readonly user = 'tollgate';
  readonly password = 'a password of the tests';
  protected readonly plan: LocalServerPlan;

  private constructor(
    private readonly port: number,
    private readonly folder: string,
    private readonly secured: TestCertificates | undefined,
  ) {
    super();
    this.plan = {
      name: 'clickhouse-server',
      program: 'clickhouse-server',
      args: [`--config-file=${join(folder, 'config.xml')}`],
      cwd: folder,
      readyMs: READY_MS,
    };
  }

  /** Creates a server in a temporary folder, which `stop` removes. With certificates it accepts TLS only. */
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

  /** The environment variables that make the product use this server. */
  get environment(): Record<string, string> {
    return {
      TOLLGATE_LOG_STORE: 'clickhouse',
      CLICKHOUSE_URL: this.url,
      CLICKHOUSE_USER: this.user,
      CLICKHOUSE_PASSWORD: this.password,
      ...(this.secured && { CLICKHOUSE_CA_FILE: this.secured.ca }),
    };
  }

  protected answers(): Promise<boolean> {
    const { secured, url } = this;
    return new Promise((resolve) => {
      const told = ({ statusCode }: { statusCode?: number }): void => resolve(statusCode === 200);
      const asked = secured
        ? getByTls(`${url}/ping`, { ca: readFileSync(secured.ca) }, told)
        : get(`${url}/ping`, told);
      asked.once('error', () => resolve(false));
    });
  }

  /** Suspends the server at any point of its work: it accepts connections but does not answer. */
  pause(): void {
    this.signal('SIGSTOP');
  }

  resume(): void {
    this.signal('SIGCONT');
  }

  override async stop(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
