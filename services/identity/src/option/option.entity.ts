import { defineEntity, p } from '@mikro-orm/core';

const option = defineEntity({
  name: 'Option',
  tableName: 'option',
  properties: {
    key: p.text().primary(),
    /** Encrypted if the option is marked as secret in the registry. */
    value: p.text(),
    /** The revision of the option table when this row was written. */
    revision: p.bigint('number'),
    updatedBy: p.integer(),
    updatedAt: p
      .datetime()
      .onCreate(() => new Date())
      .onUpdate(() => new Date()),
  },
});

/** An option that was set, even if to its default value. */
export class Option extends option.class {}
option.setClass(Option);
