import { defineService } from '@tollgate/chassis';
import { RelayModule } from './relay.module.js';

export { hasUnbooked } from './spool/spool-folder.js';

export const relay = defineService({ name: 'relay', module: RelayModule });
