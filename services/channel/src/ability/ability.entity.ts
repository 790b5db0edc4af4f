import { defineEntity, p } from '@mikro-orm/core';

const ability = defineEntity({
  name: 'Ability',
  tableName: 'ability',
  properties: {
    group: p.text().primary(),
    model: p.text().primary(),
    channelId: p.integer().primary(),
    /** Whether the channel is enabled. */
    enabled: p.boolean(),
  },
});

/** Says that a group may use a model through a channel. Derived from the channels; only `AbilityService` writes it. */
export class Ability extends ability.class {}
ability.setClass(Ability);
