import { defineService } from '@tollgate/chassis';
import { IdentityModule } from './identity.module.js';
import { Delivery } from './delivery/delivery.entity.js';
import { Passkey } from './factor/passkey.entity.js';
import { RecoveryCode } from './factor/recovery-code.entity.js';
import { SignIn } from './login/sign-in.entity.js';
import { HashKey } from './hash-key/hash-key.entity.js';
import { sealedColumns } from './sealed-columns.js';
import { migrations } from './migrations/index.js';
import { Option } from './option/option.entity.js';
import { Setup } from './setup/setup.entity.js';
import { User } from './user/user.entity.js';

export type { DeliveryOutcome, DeliveryWay } from './delivery/delivery-metrics.js';
export { letIn } from './rescue/let-in.js';
export { removeFactors } from './rescue/remove-factors.js';

export const identity = defineService({
  name: 'identity',
  module: IdentityModule,
  database: {
    entities: [User, Option, Setup, Delivery, SignIn, Passkey, RecoveryCode, HashKey],
    migrations,
    seals: sealedColumns,
  },
});
