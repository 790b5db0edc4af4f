import { billing } from '@tollgate/billing';
import { channel } from '@tollgate/channel';
import { gateway } from '@tollgate/gateway';
import { identity } from '@tollgate/identity';
import { logging } from '@tollgate/logging';
import type { ServiceDefinition } from '@tollgate/chassis';
import { relay } from '@tollgate/relay';

/** All six, in the order they start; they stop in reverse, so that the gateway closes the door first and the owners of data last. */
export const allServices: readonly ServiceDefinition[] = [identity, billing, channel, logging, relay, gateway];
