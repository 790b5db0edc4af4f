import { describe, expect, it } from '@jest/globals';
import { pollBilling, type TokenRecord } from '@tollgate/contracts';
import { type ReadModels, type ReadModel, type InternalClient, type SecretBox } from '@tollgate/chassis';
import { TokenDirectory } from './token-directory.js';

describe('TokenDirectory', () => {
  /**
   * A billing service that answers with its state at the time of the request; replies about tokens are held back until
   * released.
   */
  function made() {
    let tokens: Partial<TokenRecord>[] = [];
    let revision = 0;
    const waiting: (() => void)[] = [];
    const call = async (asked: object): Promise<unknown> => {
      if (asked === pollBilling) return { tokenRevision: revision, changedTokenIds: [1], complete: true };
      const answer = { tokens };
      await new Promise<void>((resolve) => waiting.push(resolve));
      return answer;
    };
    let model: ReadModel | undefined;
    const directory = new TokenDirectory(
      { call } as unknown as InternalClient,
      { hmacs: (_: string, key: string) => [key] } as unknown as SecretBox,
      { follow: (followed: ReadModel) => (model = followed) } as unknown as ReadModels,
    );
    const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    return {
      directory,
      async change(to: Partial<TokenRecord>[]) {
        tokens = to;
        revision += 1;
        await model?.catchUp();
      },
      async letGo() {
        for (let at = 0; at < 10 && waiting.length === 0; at += 1) await turn();
        for (const resolve of waiting.splice(0)) resolve();
      },
      turn,
    };
  }
  const enabled = { id: 1, userId: 7, keyHash: 'k', status: 1 };

  it('never returns a reply that was requested before a change to a later caller', async () => {
    const { directory, change, letGo, turn } = made();
    await change([enabled]);
    const early = directory.find('k');
    await turn();
    await change([{ ...enabled, status: 2 }]);
    const late = directory.find('k');
    await turn();
    await letGo();
    expect(await early).toMatchObject({ status: 1 });
    expect(await late).toMatchObject({ status: 2 });
    expect(directory.find('k')).toMatchObject({ status: 2 });
  });

  it('does not treat a key as unknown that was created during the request', async () => {
    const { directory, change, letGo, turn } = made();
    const early = directory.find('k');
    await turn();
    await change([enabled]);
    await letGo();
    expect(await early).toBeUndefined();
    const late = directory.find('k');
    await letGo();
    expect(await late).toMatchObject({ status: 1 });
  });
});
