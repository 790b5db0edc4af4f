import { describe, expect, it } from '@jest/globals';
import type { OptionKey } from '@tollgate/contracts';
import type { InternalClient } from '../http/internal-client.js';
import type { Logger } from '../log/logger.js';
import { OptionStore } from './option-store.js';

function storeThatTells() {
  const unusable: string[] = [];
  const changed: OptionKey[][] = [];
  const logger = { error: (_: string, { option }: { option: string }) => unusable.push(option) } as unknown as Logger;
  const store = new OptionStore({} as InternalClient, logger);
  store.onChange((keys: ReadonlySet<OptionKey>) => changed.push([...keys]));
  return { store, unusable, changed };
}

describe('the options in force', () => {
  it('keep the last good value of a text that does not parse', () => {
    const { store, unusable, changed } = storeThatTells();
    store.apply(1, { RetryTimes: '3' });
    store.apply(2, { RetryTimes: 'many' });
    expect(store.get('RetryTimes')).toBe(3);
    expect(unusable).toEqual(['RetryTimes']);
    expect(changed).toEqual([['RetryTimes']]);
  });

  it.each(['ChannelTestFrequency', 'ChannelUpdateFrequency'] as const)('take an empty %s as none', (key) => {
    const { store, unusable, changed } = storeThatTells();
    store.apply(1, { [key]: '5' });
    expect(store.get(key)).toBe(5);
    store.apply(2, { [key]: '' });
    expect(store.get(key)).toBeUndefined();
    expect(unusable).toEqual([]);
    expect(changed).toEqual([[key], [key]]);
  });
});
