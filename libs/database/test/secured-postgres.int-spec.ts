import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger } from '@tollgate/chassis';
import { makeCertificates, startOwnPostgres, type TestCertificates, type TestServer } from '@tollgate/testing';
import { Client } from 'pg';
import { connectPatiently } from '../src/orm/connection.js';
import { Leader } from '../src/events/leader.js';
import { eventLogSchema, openDatabase } from '../src/index.js';
import { startWay } from './start-way.js';

const log = Logger.root('silent');

describe('a PostgreSQL that demands TLS', () => {
  let folder: string;
  let files: TestCertificates;
  let elsewhere: TestCertificates;
  let server: TestServer;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'secured-postgres-'));
    mkdirSync(join(folder, 'elsewhere'));
    files = makeCertificates(folder, 'DNS:localhost');
    elsewhere = makeCertificates(join(folder, 'elsewhere'), 'DNS:elsewhere');
    server = await startOwnPostgres();
    await changed(server.url, async (client) => {
      await present(client, files);
      await write(client, 'pg_hba.conf', 'local all all scram-sha-256\nhostssl all all 127.0.0.1/32 scram-sha-256');
      await client.query('alter system set ssl = on');
    });
  }, 60_000);
  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function asked<Row extends object>(url: string, text: string): Promise<Row[]> {
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query<Row>(text)).rows;
    } finally {
      await client.end();
    }
  }
  async function changed(url: string, work: (client: Client) => Promise<void>): Promise<void> {
    const client = new Client({ connectionString: url });
    await client.connect();
    await work(client);
    await client.query('select pg_reload_conf()');
    await client.end();
  }
  /** The server writes the file, because only its user may read the key. */
  const write = (client: Client, name: string, text: string): Promise<unknown> =>
    client.query(
      `copy (select unnest(string_to_array('${text.trim()}', E'\\n'))) to program 'umask 077; cat > ${name}'`,
    );
  async function present(client: Client, { key, certificate }: TestCertificates): Promise<void> {
    await write(client, 'server.key', readFileSync(key, 'utf8'));
    await write(client, 'server.crt', readFileSync(certificate, 'utf8'));
  }
  const urlWith = (mode: string, ca = files.ca): string => {
    const url = new URL(server.url);
    url.hostname = 'localhost';
    url.search = new URLSearchParams({ sslmode: mode, sslrootcert: ca }).toString();
    return url.toString();
  };
  const connect = async (url: string): Promise<string> => {
    const client = await connectPatiently(url, log, 500);
    try {
      const { rows } = await client.query<{ version: string }>(
        'select version from pg_stat_ssl where pid = pg_backend_pid() and ssl',
      );
      return rows[0]?.version ?? 'plain';
    } finally {
      await client.end();
    }
  };

  it('accepts clients that trust its authority: migrations, the pool and the leader lock', async () => {
    const url = urlWith('verify-full');
    expect(await connect(url)).toMatch(/^TLS/);
    const orm = await openDatabase({ definition: eventLogSchema, url, log, migrate: 'start' });
    const leader = new Leader({ url, name: 'secured', log });
    try {
      await leader.start();
      expect(leader.isLeader).toBe(true);
      await orm.em.fork().execute('select 1');
      // Queried as administrator, because a service only sees its own sessions.
      const rows = await asked<{ ssl: boolean }>(
        url,
        `select ssl from pg_stat_ssl join pg_stat_activity using (pid) where application_name like 'tollgate-%'`,
      );
      expect(rows.length).toBeGreaterThanOrEqual(2);
      expect(rows.every(({ ssl }) => ssl)).toBe(true);
    } finally {
      await leader.stop();
      await orm.close(true);
    }
  }, 60_000);

  it('does not hold up the end of a process when it vanishes without closing its connections', async () => {
    const way = await startWay(urlWith('verify-full'));
    const leader = new Leader({ url: way.url, name: 'vanished', log });
    try {
      await leader.start();
      way.vanish();
      await leader.stop();
      expect(leader.isLeader).toBe(false);
    } finally {
      way.close();
    }
  }, 20_000);

  it('is rejected by clients that trust another authority, and rejects connections without TLS', async () => {
    await expect(connect(urlWith('verify-full', files.other))).rejects.toThrow(/unable to verify|self-signed/);
    await expect(connect(server.url)).rejects.toThrow(/pg_hba/);
  }, 60_000);

  it('is rejected under a name that its certificate does not contain', async () => {
    await changed(urlWith('verify-full'), (client) => present(client, elsewhere));
    const url = urlWith('verify-full', elsewhere.ca);
    // The server applies a new certificate a moment after it was told to reload.
    let fault = '';
    for (const deadline = Date.now() + 10_000; Date.now() < deadline && !/altnames/.test(fault);)
      fault = await connect(url).catch((error: Error) => error.message);
    expect(fault).toMatch(/Host: localhost. is not in the cert's altnames: DNS:elsewhere/);
  }, 60_000);
});
