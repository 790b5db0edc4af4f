import { defineEntity, p } from '@mikro-orm/core';

export type SetupMode = 'external' | 'self' | 'demo';

const setup = defineEntity({
  name: 'Setup',
  tableName: 'setup',
  properties: {
    /** Always 1, since there is at most one row. */
    id: p.integer().primary().autoincrement(false),
    version: p.text(),
    mode: p.text().$type<SetupMode>(),
    rootUserId: p.integer(),
    initializedAt: p.datetime().onCreate(() => new Date()),
  },
});

/** Exists once the system is set up. */
export class Setup extends setup.class {}
setup.setClass(Setup);
