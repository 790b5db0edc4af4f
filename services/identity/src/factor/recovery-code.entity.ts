import { defineEntity, p } from '@mikro-orm/core';

const recoveryCode = defineEntity({
  name: 'RecoveryCode',
  tableName: 'recovery_code',
  properties: {
    id: p.integer().primary().autoincrement(),
    userId: p.integer(),
    /** Keyed; the code itself was shown once. */
    hash: p.text(),
    usedAt: p.datetime().nullable(),
  },
});

/** Stands in, once, for a second factor that is lost. */
export class RecoveryCode extends recoveryCode.class {}
recoveryCode.setClass(RecoveryCode);
