import { defineService } from '@tollgate/platform';
import { GatewayModule } from './gateway.module.js';

export const gateway = defineService({ name: 'gateway', module: GatewayModule });
