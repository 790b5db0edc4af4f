import { findChannelType } from '@tollgate/contracts';

/** The base URL for tasks of a channel, without a slash at its end and without `/suno`, with which the paths themselves begin. */
export function taskAddress({ type, baseUrl }: { type: number; baseUrl: string }): string {
  const base = baseUrl || (findChannelType(type)?.baseUrl ?? '');
  return base.replace(/\/+$/, '').replace(/\/suno$/, '');
}
