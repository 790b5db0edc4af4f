import { MikroORM } from '@mikro-orm/postgresql';
import { Pool, type PoolConfig } from 'pg';
import { clientConfig, connectPatiently, type SchemaAccess } from './connection.js';
import { freeLostConnections } from './lost-connections.js';
import { migrate, requireMigrated, withSchemaLock } from './migrate.js';
import { DEFAULT_POOL_SIZE, ormConfig, type DatabaseOptions } from './orm-config.js';
import { findAccess, prepareSchema } from './prepare-schema.js';
import { storableJson } from '@tollgate/chassis';

/** Creates the service's schema and role, connects with that role, and brings the schema up to date. */
export async function openDatabase(options: DatabaseOptions): Promise<MikroORM> {
  const { orm } = await openSchema(options);
  return orm;
}

/** As `openDatabase`, for code that uses plain SQL on a schema of the libraries; the pool acts as the schema's owner. */
export async function openPool(options: DatabaseOptions): Promise<Pool> {
  const { orm, access } = await openSchema(options);
  await orm.close();
  const config: PoolConfig = { ...clientConfig(options.url, access), max: options.poolSize ?? DEFAULT_POOL_SIZE };
  const pool = new Pool(config);
  pool.on('error', (error) => options.log.warn('lost an idle connection to the database', { error }));
  return pool;
}

async function openSchema(options: DatabaseOptions): Promise<{ orm: MikroORM; access: SchemaAccess }> {
  const { definition, url, log } = options;
  const schema = definition.name;
  const admin = await connectPatiently(url, log);
  try {
    if (options.migrate === 'never')
      return await openOrm(options, await findAccess(admin, schema, log), (orm) => requireMigrated(orm, schema));
    return await withSchemaLock(admin, schema, async () =>
      openOrm(options, await prepareSchema(admin, schema, log), (orm) => migrate({ orm, schema, admin, log })),
    );
  } finally {
    await admin.end();
  }
}

async function openOrm(
  options: DatabaseOptions,
  access: SchemaAccess,
  check: (orm: MikroORM) => Promise<void>,
): Promise<{ orm: MikroORM; access: SchemaAccess }> {
  const orm = await MikroORM.init(ormConfig(options, access));
  orm.em.getPlatform().convertJsonToDatabaseValue = storableJson;
  try {
    freeLostConnections(await orm.em.getConnection().getNativeClient());
    await check(orm);
    return { orm, access };
  } catch (error) {
    await orm.close(true);
    throw error;
  }
}
