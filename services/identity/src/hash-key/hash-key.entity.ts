import { defineEntity, p } from '@mikro-orm/core';

const hashKey = defineEntity({
  name: 'HashKey',
  tableName: 'hash_key',
  properties: {
    purpose: p.text().primary(),
    /** Sealed: 32 bytes, hex. */
    sealed: p.text(),
  },
});

/** The key that things are hashed with which we cannot hash anew, because only their owners have them. */
export class HashKey extends hashKey.class {}
hashKey.setClass(HashKey);
