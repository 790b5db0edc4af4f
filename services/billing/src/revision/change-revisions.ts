import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { units } from '../units.js';

/**
 * Revisions of the read models that replicas poll. `next` locks the row until the caller's transaction ends, so
 * revisions commit in order, and a query for changes since N never misses a row. Call it as late in the transaction as
 * possible.
 */
@Injectable()
export class ChangeRevisions {
  constructor(private readonly em: EntityManager) {}

  async next(name: 'token' | 'price'): Promise<number> {
    const [row] = await this.em.execute<{ value: unknown }[]>(
      `update "change_revision" set "value" = "value" + 1 where "name" = ? returning "value"`,
      [name],
    );
    return units(row?.value);
  }

  async current(): Promise<{ token: number; price: number }> {
    const rows = await this.em.execute<{ name: string; value: unknown }[]>(
      `select "name", "value" from "change_revision"`,
    );
    const values = new Map(rows.map((row) => [row.name, units(row.value)]));
    return { token: values.get('token') ?? 0, price: values.get('price') ?? 0 };
  }
}
