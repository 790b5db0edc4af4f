import { defineEntity, p } from '@mikro-orm/core';

const option = defineEntity({
  name: 'Option',
  tableName: 'option',
  properties: {
    key: p.text().primary(),
    /** Encrypted when the key's row in the registry says secret. */
    value: p.text(),
    /** Of the option table when this row was written. */
    revision: p.bigint('number'),
    updatedBy: p.integer(),
    updatedAt: p
      .datetime()
      .onCreate(() => new Date())
      .onUpdate(() => new Date()),
  },
});

/** An option that was set to something else than its default, or to the default on purpose. */
export class Option extends option.class {}
option.setClass(Option);
