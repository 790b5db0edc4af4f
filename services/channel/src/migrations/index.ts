import { Migration20261121031000_create_channel } from './Migration20261121031000_create_channel.js';

/** In the order they run. */
export const migrations = [Migration20261121031000_create_channel];
