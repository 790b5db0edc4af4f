import SwapIcon from '@mui/icons-material/SwapHoriz';
import Box from '@mui/material/Box';
import Stack from '@mui/material/Stack';
import type { Log } from '@tollgate/contracts/api/log';
import { LogType, Role } from '@tollgate/contracts/roles';
import { useTranslation } from 'react-i18next';
import { formatCount } from '../../components/basics/count-format.js';
import { useCopy } from '../../components/texts/copy-button.js';
import { GroupTag } from '../../components/texts/group-tag.js';
import { QuotaText } from '../../components/money/quota-text.js';
import { foldColumns } from '../../components/tables/table-columns.js';
import type { Column } from '../../components/tables/table-types.js';
import { Tag, identityColor } from '../../components/texts/tag.js';
import { formatTime } from '../../components/basics/time-format.js';
import { TimeText } from '../../components/texts/time-text.js';
import {
  durationColor,
  firstTokenColor,
  firstTokenOf,
  isRequest,
  knownTypes,
  otherOf,
  plain,
  typeColors,
} from './log-facts.js';
import { useLogContext } from './log-context.js';
import { LogText } from './log-words.js';

/** A failed request shows its status in the tag and its reason as a tooltip. */
function TypeCell({ log }: { log: Log }) {
  const { t } = useTranslation('log');
  const { type, content } = log;
  const { status_code: status } = otherOf(log);
  const known = (knownTypes as number[]).includes(type);
  const failed = type === LogType.error && status !== undefined;
  return (
    <Tag color={typeColors[type]} title={failed ? content : undefined}>
      {failed ? t('errorType', { status }) : known ? t(`type.${type as 1}`) : t('type.unknown')}
    </Tag>
  );
}

function CopyTag({ text }: { text: string }) {
  const { copy, dialog } = useCopy();
  return (
    <>
      <Tag title={text} onClick={() => void copy(text, { key: 'copy.text', params: { text } })}>
        {text}
      </Tag>
      {dialog}
    </>
  );
}

function ChannelCell({ log }: { log: Log }) {
  const { t } = useTranslation('log');
  const tried = otherOf(log).admin_info?.use_channel ?? [];
  if (!isRequest(log) || log.channel === 0) return null;
  return (
    <>
      <Tag color={identityColor(log.channel)} title={log.channel_name || t('unknownChannel')}>
        {log.channel}
      </Tag>
      {tried.length > 1 && (
        <Box
          component="span"
          title={t('retried', { chain: tried.join(' → ') })}
          sx={{ color: 'warning.main', ml: 0.5 }}
        >
          ↻{tried.length - 1}
        </Box>
      )}
    </>
  );
}

function UserCell({ log }: { log: Log }) {
  const { showUser } = useLogContext();
  return (
    <Box
      component="button"
      type="button"
      onClick={() => showUser(log.user_id)}
      sx={{
        border: 0,
        p: 0,
        font: 'inherit',
        background: 'none',
        color: 'primary.main',
        cursor: 'pointer',
        minHeight: 24,
        maxWidth: '100%',
        overflow: 'hidden',
        textOverflow: 'ellipsis',
        textAlign: 'left',
      }}
    >
      {log.username || `#${log.user_id}`}
    </Box>
  );
}

function ModelCell({ log }: { log: Log }) {
  const { t } = useTranslation('log');
  const { is_model_mapped: mapped, upstream_model_name: upstream } = otherOf(log);
  // Rows such as top-ups have no model; their text is shown in the model's place.
  if (log.model_name === '') return <LogText content={log.content} />;
  return (
    <Stack direction="row" spacing={0.5} sx={{ alignItems: 'center', display: 'inline-flex', maxWidth: '100%' }}>
      <CopyTag text={log.model_name} />
      {mapped && (
        <span title={t('mapped', { model: log.model_name, upstream })}>
          <SwapIcon sx={{ fontSize: 16, verticalAlign: 'middle', color: 'text.tertiary' }} />
        </span>
      )}
    </Stack>
  );
}

function DurationCell({ log }: { log: Log }) {
  const { t } = useTranslation('log');
  const first = log.is_stream ? firstTokenOf(otherOf(log)) : undefined;
  return (
    <Stack direction="row" spacing={0.5} sx={{ display: 'inline-flex', '& > [data-badge]': { px: 0.5 } }}>
      <Tag color={durationColor(log.use_time)}>{t('seconds', { n: log.use_time })}</Tag>
      {first !== undefined && <Tag color={firstTokenColor(first)}>{t('seconds', { n: first.toFixed(1) })}</Tag>}
      <Tag color={log.is_stream ? 'blue' : 'purple'}>{t(log.is_stream ? 'stream' : 'noStream')}</Tag>
    </Stack>
  );
}

/** Empty for 0: rows that are no requests used no tokens. */
const count = (tokens: number) => (tokens > 0 ? formatCount(tokens) : null);

const costs = ({ type, quota }: Log): boolean => type === LogType.consume || quota > 0;

/** A short form of the price for requests; the text of the row for other types. */
function DetailCell({ log }: { log: Log }) {
  const { t } = useTranslation('log');
  const {
    model_price: price = -1,
    model_ratio: ratio,
    group_ratio: group,
    cache_tokens: cached,
    cache_ratio: cache,
  } = otherOf(log);
  // The model cell already shows the text.
  if (log.model_name === '') return null;
  if (log.type === LogType.consume && group !== undefined && price >= 0)
    return t('short.call', { price: plain(price), group: plain(group) });
  if (log.type !== LogType.consume || ratio === undefined || group === undefined)
    return <LogText content={log.content} />;
  const values = { ratio: plain(ratio), group: plain(group), cache: plain(cache ?? 0) };
  return t(cached ? 'short.cached' : 'short.tokens', values);
}

function RetryCell({ log }: { log: Log }) {
  const { t } = useTranslation('log');
  const tried = otherOf(log).admin_info?.use_channel ?? [];
  return tried.length > 0 ? t('chain', { count: tried.length, chain: tried.join('->') }) : null;
}

const columns: Column<Log>[] = [
  {
    id: 'time',
    header: 'log:column.time',
    width: 150,
    least: 138,
    mobile: 'field',
    text: ({ created_at: at }) => formatTime(at),
    cell: ({ created_at: at }) => <TimeText at={at} />,
  },
  {
    id: 'channel',
    header: 'log:column.channel',
    told: true,
    width: 84,
    least: 70,
    minRole: Role.admin,
    cell: (log) => <ChannelCell log={log} />,
  },
  {
    id: 'user',
    header: 'log:column.user',
    width: 86,
    least: 74,
    minRole: Role.admin,
    text: ({ username }) => username,
    cell: (log) => <UserCell log={log} />,
  },
  {
    id: 'token',
    header: 'log:column.token',
    width: 108,
    least: 74,
    cell: ({ token_name: name }) => name && <CopyTag text={name} />,
  },
  {
    id: 'group',
    header: 'log:column.group',
    width: 78,
    least: 70,
    cell: ({ group }) => group && <GroupTag group={group} />,
  },
  {
    id: 'type',
    header: 'log:column.type',
    // Room for `503 error`.
    width: 94,
    least: 86,
    mobile: 'badge',
    cell: (log) => <TypeCell log={log} />,
  },
  {
    id: 'model',
    header: 'log:column.model',
    width: 'grow',
    least: 108,
    mobile: 'title',
    cell: (log) => <ModelCell log={log} />,
  },
  {
    id: 'duration',
    header: 'log:column.duration',
    // Room for `999 s`, `99.9 s` and the longest word for streaming.
    width: 190,
    least: 150,
    cell: (log) => isRequest(log) && <DurationCell log={log} />,
  },
  {
    id: 'prompt',
    header: 'log:column.prompt',
    width: 76,
    least: 66,
    align: 'right',
    only: 'wide',
    cell: ({ prompt_tokens: tokens }) => count(tokens),
  },
  {
    id: 'completion',
    header: 'log:column.completion',
    width: 76,
    least: 66,
    align: 'right',
    only: 'wide',
    cell: ({ completion_tokens: tokens }) => count(tokens),
  },
  {
    id: 'tokens',
    header: 'log:column.tokens',
    width: 120,
    only: 'narrow',
    mobile: 'field',
    cell: ({ prompt_tokens: input, completion_tokens: output }) =>
      input + output > 0 ? `${formatCount(input)} / ${formatCount(output)}` : null,
  },
  {
    id: 'cost',
    header: 'log:column.cost',
    width: 98,
    least: 88,
    align: 'right',
    mobile: 'field',
    cell: (log) => costs(log) && <QuotaText quota={log.quota} digits={6} />,
  },
  {
    id: 'retry',
    header: 'log:column.retry',
    told: true,
    width: 130,
    least: 110,
    minRole: Role.admin,
    cell: (log) => <RetryCell log={log} />,
  },
  {
    id: 'details',
    header: 'log:column.details',
    told: true,
    width: 172,
    least: 140,
    cell: (log) => <DetailCell log={log} />,
  },
];

/** The order in which columns are added as the window gets wider. */
const order = ['prompt', 'completion', 'user', 'channel', 'duration', 'token', 'group', 'details', 'retry'];

/** Administrators have three more columns, so theirs are all shown in wider windows only. */
export const logColumns = (admin: boolean): Column<Log>[] =>
  foldColumns(
    columns.filter(({ minRole = 0 }) => admin || minRole < Role.admin),
    order,
    { opens: true },
  );
