import { billing } from '@tollgate/billing';
import { channel } from '@tollgate/channel';
import { gateway } from '@tollgate/gateway';
import { identity } from '@tollgate/identity';
import { logging } from '@tollgate/logging';
import type { ServiceDefinition } from '@tollgate/chassis';
import { relay } from '@tollgate/relay';

/**
 * All services in the order in which they start. They stop in reverse order: the gateway first, so that no new requests
 * arrive, and the owners of data last.
 */
export const allServices: readonly ServiceDefinition[] = [identity, billing, channel, logging, relay, gateway];
