import { defineService } from '@tollgate/chassis';
import { GatewayModule } from './gateway.module.js';

export const gateway = defineService({ name: 'gateway', module: GatewayModule });
