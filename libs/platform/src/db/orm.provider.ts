import type { MikroORM } from '@mikro-orm/postgresql';
import type { DatabaseOptions } from './orm-config.js';

/** Creates what the service needs in the database, connects with its role and brings its schema up to date. */
export function openDatabase(options: DatabaseOptions): Promise<MikroORM> {
  return Promise.reject(new Error(`not built: ${options.definition.name}`));
}
