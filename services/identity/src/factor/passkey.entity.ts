import { defineEntity, p } from '@mikro-orm/core';

const passkey = defineEntity({
  name: 'Passkey',
  tableName: 'passkey',
  properties: {
    id: p.integer().primary().autoincrement(),
    userId: p.integer(),
    /** Id given by the authenticator, base64url. */
    credentialId: p.text(),
    /** COSE key, base64url. Not secret. */
    publicKey: p.text(),
    /** Use counter of the authenticator; many always report 0. */
    counter: p.bigint('number'),
    /** How browsers reach the authenticator; comma-separated. */
    transports: p.text(),
    /** The relying party: the passkey works on pages of this host only. */
    host: p.text(),
    name: p.text(),
    backedUp: p.boolean(),
    createdAt: p.datetime(),
    lastUsedAt: p.datetime().nullable(),
  },
});

export class Passkey extends passkey.class {}
passkey.setClass(Passkey);
