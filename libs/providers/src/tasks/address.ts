import { findChannelType } from '@tollgate/contracts';

/** Where the tasks of a channel are handed over and asked for: without a slash at its end, and without what every path brings itself. */
export function taskAddress({ type, baseUrl }: { type: number; baseUrl: string }): string {
  const base = baseUrl || (findChannelType(type)?.baseUrl ?? '');
  return base.replace(/\/+$/, '').replace(/\/suno$/, '');
}
