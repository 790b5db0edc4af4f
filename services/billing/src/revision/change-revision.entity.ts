import { defineEntity, p } from '@mikro-orm/core';

const changeRevision = defineEntity({
  name: 'ChangeRevision',
  tableName: 'change_revision',
  properties: { name: p.text().$type<'token' | 'price'>().primary(), value: p.bigint('number') },
});

/** The last revision of a read model that replicas poll. */
export class ChangeRevision extends changeRevision.class {}
changeRevision.setClass(ChangeRevision);
