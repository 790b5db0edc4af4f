import { isSecret, optionKeys } from '@tollgate/contracts';
import { type SealedColumn, sealedFor } from '@tollgate/chassis';
import { PAYLOAD } from './delivery/deliveries.js';
import { TOTP_SECRET } from './factor/factors.js';
import { SECRET as OPTION_SECRET } from './option/option.service.js';
import { WEBHOOK_SECRET } from './user/user.entity.js';
import { HASH_KEY } from './hash-key/hash-keys.js';

const secretOptions = optionKeys.filter(isSecret).map((key) => `'${key}'`);

/** All encrypted columns of the schema. */
export const sealedColumns: readonly SealedColumn[] = [
  sealedFor(HASH_KEY, { table: 'hash_key', id: 'purpose', column: 'sealed' }),
  sealedFor(TOTP_SECRET, { table: 'users', id: 'id', column: 'sealed_totp' }),
  sealedFor(WEBHOOK_SECRET, { table: 'users', id: 'id', column: 'sealed_webhook_secret' }),
  sealedFor(PAYLOAD, { table: 'delivery', id: 'id', column: 'sealed_payload' }),
  sealedFor(OPTION_SECRET, {
    table: 'option',
    id: 'key',
    column: 'value',
    where: `"value" <> '' and "key" in (${secretOptions.join(', ')})`,
  }),
];
