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
import { moneyMakers } from './money-replies.js';
import type { Maker } from './reply-makers.js';
import { MANY, bare, countOf, data, kindOf, one, paged } from './reply-makers.js';
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
    Array.from({ length: MANY }, (_, index) => `priced-model-${index}`),
    1.25,
  ),
  ModelPrice: '{}',
  CompletionRatio: '{}',
};

/** All models in use; the last ones have no price. */
const enabledModels: Maker = (asked) =>
  asked.filling === 'long'
    ? data([...long.MODELS_300, ...Array.from({ length: 24 }, (_, index) => `${index}-${long.longName(index)}`)])
    : modelNames(asked);

/** Options always have a value, so they have no empty state. */
const options: Maker = async ({ filling, live }) => {
  const { data: rows } = z.object({ data: z.array(optionSchema) }).parse(await live());
  const values = { empty: {}, long: longOptions, many: manyOptions }[filling] as Record<string, string>;
  return data(z.array(optionSchema).parse(rows.map((row) => ({ ...row, value: values[row.key] ?? row.value }))));
};

/** The user stays the same; only the amounts of the user's data grow. */
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

/** Makers of replies by path. The product itself replies to all other calls. */
const makers: [RegExp, Maker][] = [
  ...moneyMakers,
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
  [/^\/api\/user\/models\/?$/, modelNames],
  [/^\/api\/channel\/models_enabled\/?$/, enabledModels],
  [/^\/api\/option\/?$/, options],
  [/^\/api\/(notice|about|home_page_content)\/?$/, words],
];

export const makerOf = (path: string): Maker | undefined => makers.find(([pattern]) => pattern.test(path))?.[1];
