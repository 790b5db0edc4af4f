import type { KeyValue } from '@tollgate/chassis';

/**
 * A proxy of a store that calls `happen` right before command number `at` (from 1), to simulate a concurrent process.
 */
export function interrupted(store: KeyValue, at: number, happen: () => Promise<unknown>): KeyValue {
  let commands = 0;
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return async (...args: unknown[]): Promise<unknown> => {
        commands += 1;
        if (commands === at) await happen();
        return (member as (...values: unknown[]) => unknown).apply(target, args);
      };
    },
  });
}
