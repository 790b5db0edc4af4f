import type { Channel } from '@tollgate/contracts/api/channel';
import { createContext, use } from 'react';
import type { useChannelTests } from './use-channel-tests.js';

/** What the page provides to the cells of the channel tables. */
export interface ChannelContextValue {
  tests: ReturnType<typeof useChannelTests>;
  showWhy: (channel: Channel) => void;
  updateBalance: (channel: Channel) => Promise<void>;
  saveNumber: (channel: Channel, field: 'priority' | 'weight', value: number) => Promise<unknown>;
}

export const ChannelContext = createContext<ChannelContextValue | undefined>(undefined);

export function useChannelContext(): ChannelContextValue {
  const value = use(ChannelContext);
  if (!value) throw new Error('a channel cell is drawn outside the channel page');
  return value;
}
