import { defineEntity, p } from '@mikro-orm/core';

const ability = defineEntity({
  name: 'Ability',
  tableName: 'ability',
  properties: {
    group: p.text().primary(),
    model: p.text().primary(),
    channelId: p.integer().primary(),
    /** The channel's status is 1. */
    enabled: p.boolean(),
  },
});

/** A group may use a model through a channel. Derived from the channels; written by `AbilityService` only. */
export class Ability extends ability.class {}
ability.setClass(Ability);
