import { createHash, randomUUID } from 'node:crypto';
import { type DatabaseDefinition, Logger } from '@tollgate/chassis';
import { openDatabase } from '@tollgate/database';
import { Client } from 'pg';

export interface TestDatabase {
  url: string;
  drop(): Promise<void>;
}

const log = Logger.root('silent');

/** False on a machine without a database server; suites that need one then use `describe.skip`. */
export const hasPostgres = (): boolean => process.env.TEST_DATABASE_URL !== undefined;

const serverUrl = (): string => {
  const url = process.env.TEST_DATABASE_URL;
  if (url === undefined)
    throw new Error(
      `This suite needs PostgreSQL: ${process.env.TEST_DATABASE_MISSING ?? 'run it in the project int or e2e'}`,
    );
  return url;
};

const withDatabase = (name: string): string => {
  const url = new URL(serverUrl());
  url.pathname = `/${name}`;
  return url.toString();
};

async function onServer<T>(work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: serverUrl() });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/**
 * Creates a database for one suite: a clone of a template in which the definitions' migrations were run once, or an
 * empty one.
 */
export async function createDatabase(definitions: readonly DatabaseDefinition[] = []): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await onServer(async (client) => {
    const template = definitions.length === 0 ? 'template1' : await templateOf(client, definitions);
    // PostgreSQL can clone a template only once at a time; with the lock other clones wait instead of failing.
    await client.query(`select pg_advisory_lock(hashtextextended('tollgate:clone', 0))`);
    await client.query(`create database ${name} template ${template}`);
  });
  return {
    url: withDatabase(name),
    drop: () => onServer(async (client) => void (await client.query(`drop database if exists ${name} with (force)`))),
  };
}

async function templateOf(client: Client, definitions: readonly DatabaseDefinition[]): Promise<string> {
  const content = definitions.map(({ name, migrations }) => [
    name,
    ...migrations.map((migration) => [migration.name, ('class' in migration ? migration.class : migration).toString()]),
  ]);
  const template = `template_${createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 24)}`;
  await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [template]);
  try {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [template]);
    if (rowCount === 0) await fillTemplate(client, template, definitions);
  } finally {
    await client.query('select pg_advisory_unlock(hashtextextended($1, 0))', [template]);
  }
  return template;
}

async function fillTemplate(
  client: Client,
  template: string,
  definitions: readonly DatabaseDefinition[],
): Promise<void> {
  const draft = `${template}_${randomUUID().slice(0, 8)}`;
  await client.query(`create database ${draft}`);
  for (const definition of definitions) {
    const orm = await openDatabase({ definition, url: withDatabase(draft), log, migrate: 'start' });
    await orm.close(true);
  }
  await client.query(`alter database ${draft} rename to ${template}`);
}
