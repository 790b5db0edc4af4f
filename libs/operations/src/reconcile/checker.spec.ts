import { describe, expect, it } from '@jest/globals';
import type { Client } from 'pg';
import { Checker, type PlacedCheck, runShared } from './checker.js';

const check = (name: string, schema?: string): PlacedCheck => ({
  ...{ name, store: 'a store', query: `select about ${name} from :from to :to` },
  ...(schema !== undefined && { schema }),
});

/** A connection that answers each check with a fault of the check's name, after `mayAnswer` has resolved. */
function connection(mayAnswer: Promise<void> = Promise.resolve()): { client: Client; asked: string[] } {
  const asked: string[] = [];
  const query = async (text: string): Promise<{ rows: object[] }> => {
    asked.push(text);
    const [, name] = /about (\S+)/.exec(text) ?? [];
    if (name === undefined) return { rows: [] };
    await mayAnswer;
    return { rows: [{ subject: name, expected: 'e', found: 'f', total: '3' }] };
  };
  return { client: { query } as unknown as Client, asked };
}

const checkerOf = ({ client }: { client: Client }): Checker =>
  new Checker(client, { period: { from: 1000, to: 2000 }, reportStep: () => undefined, isCopy: false });

describe('runShared', () => {
  it('returns findings in the order of the checks, whichever connection ran them', async () => {
    const slow = Promise.withResolvers<void>();
    const [first, second] = [connection(slow.promise), connection()];
    const checks = ['a', 'b', 'c', 'd'].map((name) => check(name));
    const running = runShared([checkerOf(first), checkerOf(second)], checks);
    // The second connection runs all checks that the first has not begun; then the first one may finish.
    const others = (): number => second.asked.filter((text) => text.includes('about')).length;
    for (let turn = 0; turn < 1000 && others() < 3; turn += 1) await Promise.resolve();
    slow.resolve();
    const { faults, unlisted } = await running;
    expect(faults.map(({ check: name, subject }) => [name, subject])).toEqual([
      ['a', 'a'],
      ['b', 'b'],
      ['c', 'c'],
      ['d', 'd'],
    ]);
    expect(unlisted).toBe(8);
    expect(faults[0]?.more).toBe("npm run tollgate -- show 'a'");
  });

  it('queries the tables of the service, with the period filled in', async () => {
    const only = connection();
    await runShared([checkerOf(only)], [check('a', 'billing'), check('b')]);
    expect(only.asked).toEqual([
      'set local search_path = "billing"',
      expect.stringContaining('about a from 1 to 2'),
      'set local search_path = default',
      'set local search_path = default',
      expect.stringContaining('about b from 1 to 2'),
      'set local search_path = default',
    ]);
  });

  it('fails with the error of a failed check', async () => {
    const broken = { query: () => Promise.reject(new Error('the server is gone')) } as unknown as Client;
    const checkers = [checkerOf({ client: broken }), checkerOf(connection())];
    await expect(runShared(checkers, [check('a'), check('b')])).rejects.toThrow('the server is gone');
  });
});
