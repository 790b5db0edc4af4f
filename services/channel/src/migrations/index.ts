import { Migration20261121031000_create_channel } from './Migration20261121031000_create_channel.js';
import { Migration20261122140000_suspect_channels } from './Migration20261122140000_suspect_channels.js';

/** In the order they run. */
export const migrations = [Migration20261121031000_create_channel, Migration20261122140000_suspect_channels];
