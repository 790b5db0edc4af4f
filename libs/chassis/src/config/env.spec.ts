import { describe, expect, it } from '@jest/globals';
import { envTable, readEnv } from './env.js';

describe('readEnv', () => {
  it('needs nothing: every variable has a default or is optional', () => {
    expect(readEnv({})).toMatchObject({
      PORT: 3000,
      TOLLGATE_DATA_DIR: './data',
      TOLLGATE_RATE_LIMITS: 'on',
      TOLLGATE_TRUSTED_PROXIES: '',
    });
  });

  it('takes an empty variable for an absent one', () => {
    expect(readEnv({ PORT: '', DATABASE_URL: '' })).toMatchObject({ PORT: 3000, DATABASE_URL: undefined });
  });

  it('names every wrong variable at once', () => {
    expect(() => readEnv({ PORT: '70000', DATABASE_URL: 'mysql://x', TOLLGATE_SECRET_KEY: 'short' })).toThrow(
      /PORT.*DATABASE_URL.*TOLLGATE_SECRET_KEY.*\.env\.example/,
    );
  });

  it('says of every variable what it means', () => {
    for (const { name, meaning } of envTable) expect([name, meaning.length > 10]).toEqual([name, true]);
  });
});
