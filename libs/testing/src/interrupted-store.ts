import type { KeyValue } from '@tollgate/chassis';

/** The same store, in which something else happens right before the command of that number (from 1), as of another process. */
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
