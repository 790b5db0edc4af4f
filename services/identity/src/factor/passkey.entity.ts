import { defineEntity, p } from '@mikro-orm/core';

const passkey = defineEntity({
  name: 'Passkey',
  tableName: 'passkey',
  properties: {
    id: p.integer().primary().autoincrement(),
    userId: p.integer(),
    /** As the authenticator names it, base64url. */
    credentialId: p.text(),
    /** COSE, base64url. Public: it opens nothing. */
    publicKey: p.text(),
    /** As the authenticator counts its uses; many always say 0. */
    counter: p.bigint('number'),
    /** Comma-separated; how browsers reach the authenticator. */
    transports: p.text(),
    /** The relying party: works on pages of this host only. */
    host: p.text(),
    name: p.text(),
    backedUp: p.boolean(),
    createdAt: p.datetime(),
    lastUsedAt: p.datetime().nullable(),
  },
});

export class Passkey extends passkey.class {}
passkey.setClass(Passkey);
