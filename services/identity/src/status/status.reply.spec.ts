import { describe, expect, it } from '@jest/globals';
import { type OptionKey, optionKeys, optionRows, parseOption } from '@tollgate/contracts';
import { statusSchema } from '@tollgate/contracts/api/status';
import type { OptionStore } from '@tollgate/chassis';
import { toStatus } from './status.reply.js';

const facts = { version: 'v1', startedAt: 1, isSetUp: true, address: 'http://localhost:3100' };

/** Default options, with one of them replaced by a value that is no option's default. */
const optionsWith = (marked?: OptionKey): Pick<OptionStore, 'get' | 'text'> => ({
  text: (key) => (key === marked ? 'marked' : optionRows[key].default),
  get: ((key: OptionKey) => {
    const parsed = parseOption(key, optionRows[key].default);
    const value = parsed.ok ? parsed.value : undefined;
    if (key !== marked) return value;
    return typeof value === 'boolean' ? !value : 'marked';
  }) as OptionStore['get'],
});

const textOf = (marked?: OptionKey): string => JSON.stringify(toStatus(optionsWith(marked), facts));

describe('the status object', () => {
  it('has every field of the contract under the defaults', () => {
    const status = toStatus(optionsWith(), facts);
    expect(statusSchema.strict().parse(status)).toEqual(status);
    expect(status).toMatchObject({ enable_online_topup: false, register_enabled: true, quota_per_unit: 500_000 });
  });

  it('has localhost as the server address until the operator sets one', () => {
    expect(toStatus(optionsWith(), facts).server_address).toBe('http://localhost:3100');
    expect(toStatus(optionsWith('ServerAddress'), facts).server_address).toBe('marked');
  });

  it.each(optionKeys.filter((key) => optionRows[key].inStatus))('shows %s', (key) => {
    expect(textOf(key)).not.toBe(textOf());
  });

  it.each(optionKeys.filter((key) => !optionRows[key].inStatus))('does not contain the value of %s', (key) => {
    expect(textOf(key)).not.toContain('marked');
  });

  it('offers online top-up only when gateway, merchant and key are set', () => {
    const filled = { PayAddress: 'https://pay.example', EpayId: '1', EpayKey: 'k' } as Partial<
      Record<OptionKey, string>
    >;
    const options = {
      ...optionsWith(),
      get: ((key: OptionKey) => filled[key] ?? optionsWith().get(key)) as OptionStore['get'],
    };
    expect(toStatus(options, facts).enable_online_topup).toBe(true);
  });
});
