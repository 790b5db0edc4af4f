import { defineEntity, p } from '@mikro-orm/core';

const changeRevision = defineEntity({
  name: 'ChangeRevision',
  tableName: 'change_revision',
  properties: { name: p.text().$type<'token' | 'price'>().primary(), value: p.bigint('number') },
});

/** The latest revision of data that replicas of other services keep as a read model. */
export class ChangeRevision extends changeRevision.class {}
changeRevision.setClass(ChangeRevision);
