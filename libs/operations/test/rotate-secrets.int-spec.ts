import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger, type SealedColumn, sealedFor, SecretBox, type ServiceDefinition } from '@tollgate/chassis';
import { createDatabase, type TestDatabase } from '@tollgate/testing';
import { Client } from 'pg';
import { rotateSecrets } from '../src/secrets/rotate.js';

const log = Logger.root('silent');
const [OLD, NEW, LOST] = ['old', 'new', 'lost'].map((name) => `the ${name} secret key, which is long enough`);
const seal = sealedFor('purpose', { table: 'note', id: 'id', column: 'sealed' });

describe('sealing anew with another secret key', () => {
  let database: TestDatabase;
  let client: Client;
  beforeAll(async () => {
    database = await createDatabase();
    client = new Client({ connectionString: database.url });
    await client.connect();
    await client.query('create schema shop; create table shop.note (id int primary key, sealed text)');
  });
  afterAll(async () => {
    await client.end();
    await database.drop();
  });
  beforeEach(async () => {
    await client.query('truncate shop.note');
  });

  const rotate = (column: SealedColumn = seal) =>
    rotateSecrets({
      services: [{ name: 'shop', database: { seals: [column] } } as unknown as ServiceDefinition],
      url: database.url,
      log,
      secrets: new SecretBox(NEW ?? '', { previous: OLD }),
    });
  const put = (id: number, secret = '') =>
    client.query('insert into shop.note values ($1, $2)', [id, new SecretBox(secret).encrypt('purpose', 'text')]);

  it('names the rows that no key opens, and seals the others', async () => {
    await put(1, OLD);
    await put(2, LOST);
    await client.query(`insert into shop.note select 3, replace(sealed, 'v1.', 'v1.A') from shop.note where id = 1`);
    expect(await rotate()).toEqual({
      resealed: 1,
      unreadable: ['shop.note.sealed 2', 'shop.note.sealed 3'],
      places: [{ place: 'shop.note.sealed', all: 3, left: 2 }],
    });
  });

  it('fails on anything else that goes wrong in a row, and changes nothing', async () => {
    await put(1, OLD);
    const broken = {
      ...seal,
      reseal: () => {
        throw new TypeError('a bug');
      },
    };
    await expect(rotate(broken)).rejects.toThrow('a bug');
    expect(await rotate()).toMatchObject({ resealed: 1, unreadable: [] });
  });
});
