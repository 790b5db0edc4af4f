import { z } from 'zod';
import type { RowKind } from './state-rows.js';

export type Filling = 'empty' | 'long' | 'many';

export interface Reply {
  body: unknown;
  headers?: Record<string, string>;
}

/** Input of a maker: the chosen state, the requested address, and the product's own reply. */
interface Asked {
  filling: Filling;
  url: URL;
  live: () => Promise<unknown>;
}
export type Maker = (asked: Asked) => Reply | Promise<Reply>;

export const MANY = 10_000;
const LONG = 24;

export const data = (value: unknown, total?: number): Reply => ({
  body: { success: true, message: '', data: value },
  ...(total !== undefined && { headers: { 'X-Total-Count': String(total) } }),
});

function page<Row>(
  asked: Asked,
  row: (kind: RowKind, index: number) => Row,
): { rows: Row[]; size: number; total: number } {
  const { filling, url } = asked;
  const size = Number(url.searchParams.get('page_size') ?? url.searchParams.get('size') ?? 10);
  const total = { empty: 0, long: LONG, many: MANY }[filling];
  const kind = filling === 'long' ? 'long' : 'ordinary';
  const rows = Array.from({ length: Math.min(size, total) }, (_, index) => row(kind, index));
  return { rows, size, total };
}

/** A list whose reply is a page with a total. */
export const paged =
  <Row>(schema: z.ZodType<Row>, row: (kind: RowKind, index: number) => Row): Maker =>
  (asked) => {
    const { rows, size, total } = page(asked, row);
    return data({ items: z.array(schema).parse(rows), total, page: 1, page_size: size });
  };

/** A list whose reply is a bare array, with the total in a header. */
export const bare =
  <Row>(schema: z.ZodType<Row>, row: (kind: RowKind, index: number) => Row): Maker =>
  (asked) => {
    const { rows, total } = page(asked, row);
    return data(z.array(schema).parse(rows), total);
  };

export const countOf = ({ filling }: Asked, most = MANY): number => ({ empty: 0, long: 300, many: most })[filling];
export const kindOf = ({ filling }: Asked): RowKind => (filling === 'long' ? 'long' : 'ordinary');

export const one =
  <Row>(schema: z.ZodType<Row>, row: (kind: RowKind, index: number) => Row): Maker =>
  (asked) => {
    if (asked.filling !== 'long') return asked.live().then((body) => ({ body }));
    const id = Number(asked.url.pathname.split('/').filter(Boolean).at(-1));
    return data(schema.parse({ ...row('long', id + 1), id }));
  };
