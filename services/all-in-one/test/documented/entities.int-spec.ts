import { afterAll, describe, expect, it } from '@jest/globals';
import { defineEntity, p } from '@mikro-orm/core';
import { type DatabaseDefinition, Logger } from '@tollgate/chassis';
import { openDatabase } from '@tollgate/database';
import { createDatabase, type TestDatabase } from '@tollgate/testing';
import { allServices } from '../../src/index.js';

const withTables = allServices.flatMap(({ name, database }) =>
  database ? [{ name, entities: database.entities, migrations: database.migrations }] : [],
);

/**
 * Differences that are allowed because only migrations describe them: indexes, checks, triggers and defaults for
 * statements that no entity writes. An identity column also looks different from the ORM's serial column, and
 * partitioned tables cannot be described in entities.
 */
const IN_MIGRATIONS_ONLY =
  /^(create|drop) (unique )?index |(add|drop) constraint |^drop (table|trigger|function) |(set|drop) default\b|drop column "id"|add "id" bigserial/;

describe('entities match the schema that migrations create', () => {
  const databases: TestDatabase[] = [];
  afterAll(async () => {
    for (const database of databases) await database.drop();
  });

  /** The statements that would change the migrated tables to match the entities. */
  async function differencesOf(definition: DatabaseDefinition, entities = definition.entities): Promise<string[]> {
    const database = await createDatabase([definition]);
    databases.push(database);
    const shown = { ...definition, entities };
    const log = Logger.root('silent');
    const orm = await openDatabase({ definition: shown, url: database.url, log, migrate: 'never' });
    try {
      const statements = await orm.schema.getUpdateSchemaSQL({ wrap: false, dropTables: false });
      return statements.split('\n').filter((line) => line !== '' && !IN_MIGRATIONS_ONLY.test(line));
    } finally {
      await orm.close(true);
    }
  }

  it.each(withTables)('in $name', async (definition) => {
    expect(await differencesOf(definition)).toEqual([]);
  });

  it('and a column without a migration is detected', async () => {
    const [first] = withTables;
    if (!first) throw new Error('no service has tables');
    const planted = defineEntity({
      name: 'Planted',
      tableName: 'option',
      properties: { key: p.text().primary(), planted: p.text() },
    });
    expect(
      await differencesOf({ name: 'identity', entities: [], migrations: first.migrations }, [planted]),
    ).toContainEqual(expect.stringContaining('"planted"'));
  });
});
