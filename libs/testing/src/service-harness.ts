import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { allRoutes, type Envelope, type HttpMethod } from '@tollgate/contracts';
import { CALLER_HEADER, CALLER_PURPOSE, readEnv, type ServiceDefinition } from '@tollgate/chassis';
import { type RunningProcess, startProcess } from '@tollgate/process';
import { HttpAsker } from './ask-over-http.js';
import { createDatabase } from './create-database.js';

export interface TestCaller {
  id: number;
  role?: 1 | 10 | 100;
  username?: string;
  sessionVersion?: number;
  group?: string;
}

export interface TestRequest {
  /** The caller that the gateway would vouch for; without it the request is a visitor's. */
  as?: TestCaller;
  body?: unknown;
  query?: Record<string, string | number>;
  headers?: Record<string, string>;
}

export interface TestReply<T = unknown> {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Envelope<T> & Record<string, unknown>;
  text: string;
}

export interface ServiceHarness {
  process: RunningProcess;
  host: RunningProcess['host'];
  /**
   * Sends a request directly to the service that owns the path, with the caller header that the gateway would have
   * signed.
   */
  request<T = unknown>(method: HttpMethod, path: string, options?: TestRequest): Promise<TestReply<T>>;
  close(): Promise<void>;
}

/**
 * Starts services on a database of their own, with the embedded adapters. `environment` overrides environment
 * variables.
 */
export async function startServices(
  definitions: readonly ServiceDefinition[],
  environment: Record<string, string> = {},
): Promise<ServiceHarness> {
  const schemas = definitions.flatMap(({ name, database }) => (database ? [{ name, ...database }] : []));
  const database = await createDatabase(schemas);
  const dataDir = mkdtempSync(join(tmpdir(), 'tollgate-test-'));
  const env = readEnv({
    DATABASE_URL: database.url,
    TOLLGATE_DATA_DIR: dataDir,
    TOLLGATE_SECRET_KEY: 'a secret of the tests that is long enough',
    LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
    PORT: '0',
    ...environment,
  });
  const running = await startProcess(definitions, env);
  const asker = new HttpAsker();
  return {
    process: running,
    host: running.host,
    request: (method, path, options = {}) => send(running, asker, { method, path, ...options }),
    async close() {
      await asker.close();
      await running.stop();
      await database.drop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function send<T>(
  process: RunningProcess,
  asker: HttpAsker,
  { method, path, as, body, query = {}, headers }: TestRequest & { method: HttpMethod; path: string },
): Promise<TestReply<T>> {
  const service = process.services.get(ownerOf(method, path));
  if (!service) throw new Error(`the owner of ${method} ${path} does not run here`);
  const reply = await asker.ask(service.app, {
    method,
    path,
    body,
    query: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)])),
    headers: { ...(as && { [CALLER_HEADER]: signed(process, as) }), ...headers },
  });
  return { ...reply, body: parse<T>(reply.text) };
}

function signed(
  { host }: RunningProcess,
  { id, role = 1, username = `user${id}`, group = 'default', sessionVersion }: TestCaller,
): string {
  const exp = Math.floor(Date.now() / 1000) + 30;
  return host.secrets.sign(CALLER_PURPOSE, {
    userId: id,
    username,
    role,
    group,
    via: 'session',
    sessionVersion,
    requestId: randomUUID(),
    exp,
  });
}

function parse<T>(text: string): TestReply<T>['body'] {
  try {
    return JSON.parse(text) as TestReply<T>['body'];
  } catch {
    return { success: false, message: text, code: 'no-json', kind: 'internal' };
  }
}

/** The owner of the most specific route that matches the path. */
function ownerOf(method: HttpMethod, path: string): (typeof allRoutes)[number]['owner'] {
  const bare = path.replace(/\?.*$/, '').replace(/\/$/, '');
  const rows = allRoutes.filter((row) => row.method === method && patternOf(row.path).test(bare));
  const exact = rows.find((row) => row.path === bare) ?? rows[0];
  if (!exact) throw new Error(`no row of the route table matches ${method} ${path}`);
  return exact.owner;
}

const patternOf = (path: string): RegExp => new RegExp(`^${path.replace(/:[^/]+/g, '[^/]+').replace(/\*$/, '.*')}$`);
