import type { Client } from 'pg';
import { AppError, type Logger } from '@tollgate/chassis';
import type { SchemaAccess } from './connection.js';

/** Errors if the object exists already: two processes may start for the first time simultaneously. */
const ALREADY_THERE = new Set(['42710', '42P06', '23505']);
const FORBIDDEN = '42501';

const roleOf = (schema: string): string => `tollgate_${schema}`;

/** Creates the schema and the role that owns it, as far as the connection's user is allowed to; logs what is not possible. */
export async function prepareSchema(admin: Client, schema: string, log: Logger): Promise<SchemaAccess> {
  const role = (await makeRole(admin, roleOf(schema))) ? roleOf(schema) : undefined;
  if (role === undefined) {
    log.warn(`the database user may not create roles: schema ${schema} is used without a role of its own`);
  }
  const authorization = role === undefined ? '' : ` authorization ${role}`;
  try {
    await tolerant(admin, `create schema if not exists "${schema}"${authorization}`);
  } catch (error) {
    if ((error as { code?: string }).code !== FORBIDDEN) throw error;
    if (!(await ownerOf(admin, schema))) {
      throw new AppError(
        'unavailable',
        'database-forbidden',
        `The user of DATABASE_URL may not create schema "${schema}". Grant CREATE on the database, or create the schema for it.`,
        { cause: error },
      );
    }
  }
  return findAccess(admin, schema, log);
}

/** The access that an earlier start or a migration job prepared. */
export async function findAccess(admin: Client, schema: string, log: Logger): Promise<SchemaAccess> {
  const owner = await ownerOf(admin, schema);
  if (owner === undefined) {
    throw new AppError(
      'unavailable',
      'schema-missing',
      `Schema "${schema}" does not exist. Run the migrations first (\`migrate\`), or set TOLLGATE_MIGRATE=start.`,
    );
  }
  const role = roleOf(schema);
  if (owner !== role) return { schema };
  if (await isMember(admin, role)) return { schema, role };
  log.warn(`the database user is not a member of ${role}, the owner of schema ${schema}`);
  return { schema };
}

async function ownerOf(admin: Client, schema: string): Promise<string | undefined> {
  const { rows } = await admin.query<{ owner: string }>(
    'select pg_get_userbyid(nspowner) as owner from pg_namespace where nspname = $1',
    [schema],
  );
  return rows[0]?.owner;
}

/** Returns false without the right to create roles. Makes the connection's user a member of the role; a superuser needs no membership. */
async function makeRole(admin: Client, role: string): Promise<boolean> {
  try {
    if (!(await roleExists(admin, role))) {
      if (!(await mayCreateRoles(admin))) return false;
      await tolerant(admin, `create role ${role} nologin`);
    }
    if (!(await isMember(admin, role))) await admin.query(`grant ${role} to current_user`);
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === FORBIDDEN) return false;
    throw error;
  }
}

async function roleExists(admin: Client, role: string): Promise<boolean> {
  const { rowCount } = await admin.query('select 1 from pg_roles where rolname = $1', [role]);
  return rowCount === 1;
}

async function mayCreateRoles(admin: Client): Promise<boolean> {
  const { rowCount } = await admin.query(
    'select 1 from pg_roles where rolname = current_user and (rolsuper or rolcreaterole)',
  );
  return rowCount === 1;
}

/** Checks `USAGE` instead of `MEMBER`: since PostgreSQL 16 the creator of a role is its member without the right to act as it. */
async function isMember(admin: Client, role: string): Promise<boolean> {
  const { rows } = await admin.query<{ may: boolean }>(`select pg_has_role(current_user, $1, 'USAGE') as may`, [role]);
  return rows[0]?.may ?? false;
}

async function tolerant(admin: Client, statement: string): Promise<void> {
  try {
    await admin.query(statement);
  } catch (error) {
    if (!ALREADY_THERE.has((error as { code?: string }).code ?? '')) throw error;
  }
}
