import { mkdirSync, readFileSync } from 'node:fs';
import { freePort } from '@tollgate/embedded';
import { Redis } from 'ioredis';
import type { TestCertificates } from './certificates.js';
import { LocalServer, type LocalServerPlan } from './local-server.js';

const READY_MS = 15_000;

/** If given, the server accepts TLS only, and requires the password. */
interface RedisSecurity {
  files: TestCertificates;
  password: string;
}

function secured({ files, password }: RedisSecurity, port: number): string[] {
  const own = ['--tls-cert-file', files.certificate, '--tls-key-file', files.key, '--tls-ca-cert-file', files.ca];
  return ['--tls-port', String(port), '--port', '0', '--tls-auth-clients', 'no', '--requirepass', password, ...own];
}

export class LocalRedis extends LocalServer {
  protected readonly plan: LocalServerPlan;

  private constructor(
    private readonly port: number,
    folder: string | undefined,
    private readonly security: RedisSecurity | undefined,
  ) {
    super();
    const data = folder === undefined ? ['--save', '', '--appendonly', 'no'] : ['--dir', folder, '--appendonly', 'yes'];
    const address = security ? secured(security, port) : ['--port', String(port)];
    this.plan = {
      name: 'redis-server',
      program: 'redis-server',
      args: [...address, '--bind', '127.0.0.1', ...data],
      readyMs: READY_MS,
      ownSession: folder !== undefined,
    };
  }

  /** Keeps data in the folder if one is given, otherwise only in memory. */
  static async open({ folder, security }: { folder?: string; security?: RedisSecurity } = {}): Promise<LocalRedis> {
    if (folder !== undefined) mkdirSync(folder, { recursive: true });
    return new LocalRedis(await freePort(), folder, security);
  }

  get url(): string {
    if (this.security) return `rediss://:${this.security.password}@127.0.0.1:${this.port}`;
    return `redis://127.0.0.1:${this.port}`;
  }

  protected async answers(): Promise<boolean> {
    const tls = this.security && { tls: { ca: readFileSync(this.security.files.ca) } };
    const redis = new Redis(this.url, { lazyConnect: true, retryStrategy: () => null, ...tls });
    redis.on('error', () => undefined);
    try {
      return (await redis.ping()) === 'PONG';
    } finally {
      redis.disconnect();
    }
  }
}
