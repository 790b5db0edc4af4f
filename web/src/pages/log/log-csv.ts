import type { Log } from '@tollgate/contracts/api/log';
import { csvTime } from '../../components/basics/csv.js';
import { formatQuota } from '../../components/money/quota-format.js';
import { firstTokenOf, otherOf } from './log-facts.js';

interface CsvColumn {
  name: string;
  admin?: boolean;
  value: (log: Log, perUnit: number) => string | number;
}

/** US dollars as a plain decimal without separators, so that spreadsheets can add it up. */
const dollars = (quota: number, perUnit: number): string =>
  formatQuota(quota, { perUnit, inCurrency: true }, { digits: 6 }).replaceAll(/[$,]/g, '').replace('\u2212', '-');

/** The columns of the export. Their names do not depend on the language. */
const columns: CsvColumn[] = [
  { name: 'id', value: ({ id }) => id },
  { name: 'time', value: ({ created_at: at }) => csvTime(at) },
  { name: 'channel_id', admin: true, value: ({ channel }) => channel || '' },
  { name: 'channel_name', admin: true, value: ({ channel_name: name }) => name },
  { name: 'user_id', admin: true, value: ({ user_id: id }) => id },
  { name: 'username', admin: true, value: ({ username }) => username },
  { name: 'token', value: ({ token_name: name }) => name },
  { name: 'group', value: ({ group }) => group },
  { name: 'type', value: ({ type }) => type },
  { name: 'model', value: ({ model_name: name }) => name },
  { name: 'seconds', value: ({ use_time: seconds }) => seconds },
  { name: 'first_token_seconds', value: (log) => firstTokenOf(otherOf(log)) ?? '' },
  { name: 'stream', value: ({ is_stream: stream }) => String(stream) },
  { name: 'prompt_tokens', value: ({ prompt_tokens: tokens }) => tokens },
  { name: 'completion_tokens', value: ({ completion_tokens: tokens }) => tokens },
  { name: 'quota_units', value: ({ quota }) => quota },
  { name: 'cost_usd', value: ({ quota }, perUnit) => dollars(quota, perUnit) },
  {
    name: 'tried_channels',
    admin: true,
    value: (log) => (otherOf(log).admin_info?.use_channel ?? []).join('->'),
  },
  { name: 'outcome', value: (log) => otherOf(log).outcome ?? '' },
  { name: 'request_id', value: (log) => otherOf(log).request_id ?? '' },
  { name: 'content', value: ({ content }) => content },
];

/** Head and rows; users get only the columns that they also see on the page. */
export function logCsv(logs: Iterable<Log>, perUnit: number, admin: boolean): (string | number)[][] {
  const own = columns.filter((column) => admin || !column.admin);
  return [own.map(({ name }) => name), ...Array.from(logs, (log) => own.map(({ value }) => value(log, perUnit)))];
}
