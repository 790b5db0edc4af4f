import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { PageQuery } from '@tollgate/contracts';
import { findPage } from '@tollgate/database';
import { Delivery } from './delivery.entity.js';

/** Filter of a list; '' matches everything. */
interface DeliveryFilter {
  /** `undefined` means everybody. It must be stated, so that no list is everybody's by oversight. */
  userId: number | undefined;
  status: '' | Delivery['status'];
  kind: string;
}

@Injectable()
export class DeliveryQueries {
  constructor(private readonly em: EntityManager) {}

  /** Newest first. */
  async list(
    { userId, status, kind }: DeliveryFilter,
    page: PageQuery,
  ): Promise<{ deliveries: Delivery[]; total: number }> {
    const where = { ...(userId !== undefined && { userId }), ...(status && { status }), ...(kind !== '' && { kind }) };
    const [deliveries, total] = await findPage(this.em, Delivery, where, page);
    return { deliveries, total };
  }
}
