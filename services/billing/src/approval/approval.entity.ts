import { defineEntity, p } from '@mikro-orm/core';
import type { ApprovalKind, ApprovalStatus } from '@tollgate/contracts/api/approval';

const approval = defineEntity({
  name: 'Approval',
  tableName: 'approval',
  properties: {
    id: p.integer().primary().autoincrement(),
    kind: p.text().$type<ApprovalKind>(),
    status: p.text().$type<ApprovalStatus>().default('pending'),
    /** The natural key of the requested movement: the same movement has one request and leads to one posting. */
    command: p.text().unique(),
    userId: p.integer(),
    tokenId: p.integer().default(0),
    /** Units to move, above zero in the user's favour. */
    change: p.bigint('number'),
    subject: p.text().default(''),
    reason: p.text().default(''),
    /** The data that carrying out this kind of request needs. */
    payload: p.json<Record<string, unknown>>(),
    requesterId: p.integer(),
    createdAt: p.datetime(),
    expiresAt: p.datetime(),
    deciderId: p.integer().nullable(),
    decidedAt: p.datetime().nullable(),
    note: p.text().default(''),
  },
});

/** A request for a movement above the limit; one administrator makes it, another one carries it out. */
export class Approval extends approval.class {}
approval.setClass(Approval);
