import { auditEntrySchema, refusedCallsSchema } from '@tollgate/contracts/api/audit';
import { channelSchema } from '@tollgate/contracts/api/channel';
import { logSchema, logStatSchema, quotaDataSchema } from '@tollgate/contracts/api/log';
import { optionSchema } from '@tollgate/contracts/api/option';
import { groupNamesSchema, pricingReplySchema, userGroupsSchema } from '@tollgate/contracts/api/pricing';
import { redemptionSchema } from '@tollgate/contracts/api/redemption';
import { statusSchema } from '@tollgate/contracts/api/status';
import { drawingSchema, taskSchema } from '@tollgate/contracts/api/task';
import { tokenSchema } from '@tollgate/contracts/api/token';
import { userSchema } from '@tollgate/contracts/api/user';
import { z } from 'zod';
import * as long from './long-values.js';
import type { RowKind } from './state-rows.js';
import {
  auditRow,
  channelRow,
  codeRow,
  drawingRow,
  logRow,
  priceRow,
  quotaRow,
  refusedRow,
  songRow,
  tokenRow,
  userRow,
} from './state-rows.js';

export type Filling = 'empty' | 'long' | 'many';

export interface Reply {
  body: unknown;
  headers?: Record<string, string>;
}

/** What a reply is made of: the state wanted, the address asked, and what the product says itself. */
interface Asked {
  filling: Filling;
  url: URL;
  live: () => Promise<unknown>;
}
type Maker = (asked: Asked) => Reply | Promise<Reply>;

export const MANY = 10_000;
const LONG = 24;

const data = (value: unknown, total?: number): Reply => ({
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

/** A list whose reply is a page with its total. */
const paged =
  <Row>(schema: z.ZodType<Row>, row: (kind: RowKind, index: number) => Row): Maker =>
  (asked) => {
    const { rows, size, total } = page(asked, row);
    return data({ items: z.array(schema).parse(rows), total, page: 1, page_size: size });
  };

/** A list whose reply is a bare array, the total in its head. */
const bare =
  <Row>(schema: z.ZodType<Row>, row: (kind: RowKind, index: number) => Row): Maker =>
  (asked) => {
    const { rows, total } = page(asked, row);
    return data(z.array(schema).parse(rows), total);
  };

const countOf = ({ filling }: Asked, most = MANY): number => ({ empty: 0, long: 300, many: most })[filling];
const kindOf = ({ filling }: Asked): RowKind => (filling === 'long' ? 'long' : 'ordinary');

const stat: Maker = ({ filling }) => {
  const most = { empty: 0, long: long.MOST_UNITS, many: MANY * 1000 }[filling];
  return data(logStatSchema.parse({ quota: most, rpm: most, tpm: most }));
};

const buckets: Maker = (asked) =>
  data(
    z
      .array(quotaDataSchema)
      .parse(Array.from({ length: countOf(asked) }, (_, index) => quotaRow(kindOf(asked), index))),
  );

const prices: Maker = (asked) => {
  const rows = Array.from({ length: countOf(asked) }, (_, index) => priceRow(kindOf(asked), index));
  const groups = asked.filling === 'long' ? long.GROUPS_40 : ['default'];
  const entries = <Value>(value: Value) => Object.fromEntries(groups.map((group) => [group, value]));
  return {
    body: pricingReplySchema.parse({
      ...{ success: true, message: '', data: rows },
      ...{ group_ratio: entries(1), usable_group: entries(asked.filling === 'long' ? long.HAN_64 : 'Default') },
    }),
  };
};

const groupNames: Maker = ({ filling }) =>
  data(groupNamesSchema.parse(filling === 'long' ? long.GROUPS_40 : ['default']));

const ownGroups: Maker = ({ filling }) => {
  const groups = { empty: [], long: long.GROUPS_40, many: ['default'] }[filling];
  const desc = filling === 'long' ? long.HAN_64 : 'Default';
  return data(userGroupsSchema.parse(Object.fromEntries(groups.map((group) => [group, { ratio: 1, desc }]))));
};

const modelNames: Maker = (asked) =>
  data(
    asked.filling === 'long'
      ? long.MODELS_300
      : Array.from({ length: countOf(asked, 3000) }, (_, index) => `model-${index}`),
  );

const words: Maker = ({ filling, live }) =>
  filling === 'many'
    ? live().then((body) => ({ body }))
    : data(filling === 'long' ? `${long.MARKUP}\n\n${long.ERROR_2000}` : '');

const json = (names: string[], value: unknown): string =>
  JSON.stringify(Object.fromEntries(names.map((name) => [name, value])));
const longOptions: Record<string, string> = {
  SystemName: long.HAN_64,
  ServerAddress: long.URL_500,
  Logo: long.URL_500,
  Footer: long.MARKUP.repeat(40),
  Notice: long.ERROR_2000,
  ModelRatio: json(long.MODELS_300, 0.000_001),
  GroupRatio: json(long.GROUPS_40, 1),
  UserUsableGroups: json(long.GROUPS_40, long.HAN_64),
  QuotaForNewUser: String(long.MOST_UNITS),
  AutomaticDisableKeywords: Array.from({ length: 80 }, () => long.LATIN_64).join('\n'),
};
const manyOptions: Record<string, string> = {
  ModelRatio: json(
    Array.from({ length: MANY }, (_, index) => `model-${index}`),
    1.25,
  ),
};

/** Options are never without a value, so nothing is empty about them. */
const options: Maker = async ({ filling, live }) => {
  const { data: rows } = z.object({ data: z.array(optionSchema) }).parse(await live());
  const values = { empty: {}, long: longOptions, many: manyOptions }[filling] as Record<string, string>;
  return data(z.array(optionSchema).parse(rows.map((row) => ({ ...row, value: values[row.key] ?? row.value }))));
};

const one =
  <Row>(schema: z.ZodType<Row>, row: (kind: RowKind, index: number) => Row): Maker =>
  (asked) => {
    if (asked.filling !== 'long') return asked.live().then((body) => ({ body }));
    const id = Number(asked.url.pathname.split('/').filter(Boolean).at(-1));
    return data(schema.parse({ ...row('long', id + 1), id }));
  };

/** The person stays who it is; only what belongs to it grows. */
const self: Maker = async ({ filling, live }) => {
  const body = await live();
  if (filling !== 'long') return { body };
  const { data: user } = z.object({ data: userSchema }).parse(body);
  const { id, role, status, username } = user;
  return data(userSchema.parse({ ...userRow('long', 0), id, role, status, username, quota: long.MOST_UNITS }));
};

const status: Maker = async ({ filling, live }) => {
  const body = await live();
  if (filling !== 'long') return { body };
  const { data: stored } = z.object({ data: statusSchema }).parse(body);
  const chats = Array.from({ length: 12 }, (_, index) => ({ [long.longName(index)]: long.URL_500 }));
  const changes = { system_name: long.HAN_64, version: long.LATIN_64, server_address: long.URL_500, chats };
  return data(statusSchema.parse({ ...stored, ...changes }));
};

/** The calls of pages for data, by their paths. What is not here is answered by the product. */
const makers: [RegExp, Maker][] = [
  [/^\/api\/status\/?$/, status],
  [/^\/api\/user\/self\/?$/, self],
  [/^\/api\/log(\/self)?\/?$/, paged(logSchema, logRow)],
  [/^\/api\/log(\/self)?\/stat\/?$/, stat],
  [/^\/api\/user(\/search)?\/?$/, paged(userSchema, userRow)],
  [/^\/api\/user\/\d+\/?$/, one(userSchema, userRow)],
  [/^\/api\/channel(\/search)?\/?$/, bare(channelSchema, channelRow)],
  [/^\/api\/channel\/\d+\/?$/, one(channelSchema, channelRow)],
  [/^\/api\/token(\/search)?\/?$/, bare(tokenSchema, tokenRow)],
  [/^\/api\/token\/\d+\/?$/, one(tokenSchema, tokenRow)],
  [/^\/api\/mj(\/self)?\/?$/, bare(drawingSchema, drawingRow)],
  [/^\/api\/task(\/self)?\/?$/, bare(taskSchema, songRow)],
  [/^\/api\/audit\/?$/, paged(auditEntrySchema, auditRow)],
  [/^\/api\/log\/refusal\/?$/, paged(refusedCallsSchema, refusedRow)],
  [/^\/api\/redemption(\/search)?\/?$/, paged(redemptionSchema, codeRow)],
  [/^\/api\/data(\/self)?\/?$/, buckets],
  [/^\/api\/pricing\/?$/, prices],
  [/^\/api\/group\/?$/, groupNames],
  [/^\/api\/user\/self\/groups\/?$/, ownGroups],
  [/^\/api\/(user\/models|channel\/models_enabled)\/?$/, modelNames],
  [/^\/api\/option\/?$/, options],
  [/^\/api\/(notice|about|home_page_content)\/?$/, words],
];

export const makerOf = (path: string): Maker | undefined => makers.find(([pattern]) => pattern.test(path))?.[1];
