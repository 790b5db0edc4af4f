import { defineEntity, p } from '@mikro-orm/core';

const signIn = defineEntity({
  name: 'SignIn',
  tableName: 'sign_in',
  properties: {
    id: p.integer().primary().autoincrement(),
    /** The hash of the cookie, by which the store knows the session. */
    sessionId: p.text(),
    userId: p.integer(),
    userAgent: p.text(),
    address: p.text(),
    createdAt: p.datetime().defaultRaw('now()'),
  },
});

/** That a session was begun, by whom and where; whether it still goes on is the store's to say. */
export class SignIn extends signIn.class {}
signIn.setClass(SignIn);
