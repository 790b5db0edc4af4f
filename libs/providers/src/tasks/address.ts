import { findChannelType } from '@tollgate/contracts';

/** The base URL for a channel's task calls, without a trailing slash and without `/suno`, which the paths themselves begin with. */
export function taskAddress({ type, baseUrl }: { type: number; baseUrl: string }): string {
  const base = baseUrl || (findChannelType(type)?.baseUrl ?? '');
  return base.replace(/\/+$/, '').replace(/\/suno$/, '');
}
