import type { ChannelType } from '@tollgate/contracts';
import type { Provider } from './adapter.js';

/** `satisfies` names a channel type without a row. Saving a channel whose provider is undefined is refused. */
export const providers = {} as Record<ChannelType, Provider | undefined>;

/** Undefined for an unknown number and for a type that is not built yet. */
export const findProvider = (channelType: number): Provider | undefined => providers[channelType as ChannelType];
