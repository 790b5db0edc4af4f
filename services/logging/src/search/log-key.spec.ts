import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { type InternalClient, SecretBox } from '@tollgate/chassis';
import { resolveTokens } from '@tollgate/contracts';
import { LogKey } from './log-key.js';

/** The hashes that are looked up for a key as it was sent. */
async function lookedUp(text: string): Promise<string[]> {
  const asked: string[] = [];
  const internal = {
    call: (_: unknown, { keyHashes }: { keyHashes: string[] }) => {
      asked.push(...keyHashes);
      return Promise.resolve({ tokens: [] });
    },
  };
  const key = new LogKey(internal as unknown as InternalClient, new SecretBox('x'.repeat(32)));
  await expect(key.tokenOf(text, '127.0.0.1')).rejects.toThrow('无效的令牌');
  return asked;
}

function keyOf(state: { status: number; expiredTime: number }): LogKey {
  const token = { id: 7, userId: 1, allowIps: [], ...state };
  const call = (asked: unknown) =>
    Promise.resolve(asked === resolveTokens ? { tokens: [token] } : { users: [{ status: 1 }] });
  return new LogKey({ call } as unknown as InternalClient, new SecretBox('x'.repeat(32)));
}

describe('LogKey', () => {
  const key = 'a'.repeat(48);

  it('reads a key in every accepted spelling', async () => {
    const hashes = await lookedUp(key);
    expect(hashes).toHaveLength(1);
    for (const text of [`sk-${key}`, `Bearer sk-${key}`, `bearer  ${key}-12`, ` ${key}-1-2 `])
      expect(await lookedUp(text)).toEqual(hashes);
    expect(await lookedUp('a'.repeat(47))).toEqual([]);
  });

  it('finds the key before a long text within the time of linear work', async () => {
    const work = (): Promise<string[]> => lookedUp(`${key}${'-'.repeat(500_000)}\n.`);
    // Ends quadratic work, which would take minutes.
    const found = (await runInNewContext('work()', { work }, { timeout: 10_000 })) as string[];
    expect(found).toEqual(await lookedUp(key));
  });

  it.each([
    ['enabled', 1, -1],
    ['expired', 3, 5],
    ['enabled, whose time is over', 1, 5],
    ['exhausted', 4, -1],
  ])('accepts a token that is %s', async (_, status, expiredTime) => {
    expect(await keyOf({ status, expiredTime }).tokenOf(key, '127.0.0.1')).toBe(7);
  });

  it('refuses a token that was switched off', async () => {
    await expect(keyOf({ status: 2, expiredTime: -1 }).tokenOf(key, '127.0.0.1')).rejects.toThrow('该令牌状态不可用');
  });
});
