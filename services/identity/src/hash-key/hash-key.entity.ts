import { defineEntity, p } from '@mikro-orm/core';

const hashKey = defineEntity({
  name: 'HashKey',
  tableName: 'hash_key',
  properties: {
    purpose: p.text().primary(),
    /** Encrypted; 32 bytes in hex. */
    sealed: p.text(),
  },
});

/** A key for hashes that cannot be computed again, because only their owners have the original value. */
export class HashKey extends hashKey.class {}
hashKey.setClass(HashKey);
