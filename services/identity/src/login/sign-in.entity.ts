import { defineEntity, p } from '@mikro-orm/core';

const signIn = defineEntity({
  name: 'SignIn',
  tableName: 'sign_in',
  properties: {
    id: p.integer().primary().autoincrement(),
    /** Hash of the cookie, the id in the session store. */
    sessionId: p.text(),
    userId: p.integer(),
    userAgent: p.text(),
    address: p.text(),
    createdAt: p.datetime().defaultRaw('now()'),
  },
});

/** Records who began a session and where. Whether the session is still valid is known to the session store only. */
export class SignIn extends signIn.class {}
signIn.setClass(SignIn);
