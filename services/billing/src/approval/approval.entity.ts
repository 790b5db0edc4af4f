import { defineEntity, p } from '@mikro-orm/core';
import type { ApprovalKind, ApprovalStatus } from '@tollgate/contracts/api/approval';

const approval = defineEntity({
  name: 'Approval',
  tableName: 'approval',
  properties: {
    id: p.integer().primary().autoincrement(),
    kind: p.text().$type<ApprovalKind>(),
    status: p.text().$type<ApprovalStatus>().default('pending'),
    /** The natural key of what is asked for: the same wish is one request, and leads to one posting. */
    command: p.text().unique(),
    userId: p.integer(),
    tokenId: p.integer().default(0),
    /** Units that are to move, above zero towards the user. */
    change: p.bigint('number'),
    subject: p.text().default(''),
    reason: p.text().default(''),
    /** What its kind needs to be carried out. */
    payload: p.json<Record<string, unknown>>(),
    requesterId: p.integer(),
    createdAt: p.datetime(),
    expiresAt: p.datetime(),
    deciderId: p.integer().nullable(),
    decidedAt: p.datetime().nullable(),
    note: p.text().default(''),
  },
});

/** A movement above the limit, which one administrator asks for and another one carries out. */
export class Approval extends approval.class {}
approval.setClass(Approval);
