import Box from '@mui/material/Box';
import Stack from '@mui/material/Stack';
import type { Channel } from '@tollgate/contracts/api/channel';
import { MAX_CHANNEL_NUMBER } from '@tollgate/contracts/channel-settings';
import { findChannelType } from '@tollgate/contracts/channel-types';
import { DEMONSTRATION_URL } from '@tollgate/contracts/demonstration';
import { useTranslation } from 'react-i18next';
import { describeError } from '../../api/api-error.js';
import { Link, useLocation } from 'react-router-dom';
import type { TextOf } from '../../app/i18n/text-keys.js';
import type { TagColor } from '../../app/palette.js';
import { GroupTag } from '../../components/texts/group-tag.js';
import { InlineNumber } from '../../components/forms/inline-number.js';
import { QuotaText } from '../../components/money/quota-text.js';
import { StatusChip } from '../../components/texts/status-chip.js';
import { CHECK_PX, foldColumns } from '../../components/tables/table-columns.js';
import { Tag, identityColor } from '../../components/texts/tag.js';
import { formatTime } from '../../components/basics/time-format.js';
import { overPage } from '../../components/overlays/use-over-entry.js';
import {
  formatBalance,
  hasFailedTest,
  otherInfoOf,
  responseColor,
  sortGroups,
  splitNames,
  statusOf,
} from './channel-facts.js';
import { useChannelContext } from './channel-context.js';

/** Converts a colour name of the contract (`light-blue`) to that of the theme (`lightBlue`). */
const themeColor = (color: string): TagColor =>
  color.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()) as TagColor;

function TypeTag({ type }: { type: number }) {
  const { t } = useTranslation('channel');
  const row = findChannelType(type);
  if (!row) return <Tag>{t('unknownType')}</Tag>;
  return <Tag color={themeColor(row.color)}>{t(`type.${row.slug}` as TextOf<'channel'>)}</Tag>;
}

export function GroupTags({ groups }: { groups: string[] }) {
  const [first = '', ...rest] = sortGroups(groups);
  return (
    <Stack
      direction="row"
      spacing={0.5}
      sx={{ display: 'inline-flex', alignItems: 'center', maxWidth: '100%', '& [data-badge]': { minWidth: 0 } }}
      title={groups.join(', ')}
    >
      <GroupTag group={first} />
      {rest.length > 0 && <span style={{ flexShrink: 0 }}>+{rest.length}</span>}
    </Stack>
  );
}

function NameCell({ channel }: { channel: Channel }) {
  const { t } = useTranslation('channel');
  const { search } = useLocation();
  const name = (
    <Link to={`/channel/edit/${channel.id}${search}`} state={overPage}>
      {channel.name}
    </Link>
  );
  if (channel.base_url !== DEMONSTRATION_URL) return name;
  return (
    <>
      {name} <Tag color="orange">{t('demonstration')}</Tag>
    </>
  );
}

function StatusCell({ channel }: { channel: Channel }) {
  const { t } = useTranslation('channel');
  const { showWhy } = useChannelContext();
  const { status_reason: reason, status_time: at } = otherInfoOf(channel);
  const status = statusOf(channel);
  if (status !== 'autoDisabled' && status !== 'suspect') return <StatusChip status={status} raw={channel.status} />;
  const why = t('why.tooltip', { reason: reason ?? t('why.unknown'), time: at ? formatTime(at) : '—' });
  return <StatusChip status={status} why={why} onWhy={() => showWhy(channel)} />;
}

/** `failed`: the time is that of a failure, so it says nothing about the speed and is shown only as a hint. */
export function ResponseTag({ ms, failed = false }: { ms: number; failed?: boolean }) {
  const { t } = useTranslation('channel');
  const time = ms === 0 ? undefined : t('seconds', { time: (ms / 1000).toFixed(2) });
  if (failed)
    return (
      <Tag color="red" title={time}>
        {t('test.failedShort')}
      </Tag>
    );
  return <Tag color={responseColor(ms)}>{time ?? t('untested')}</Tag>;
}

function ResponseCell({ channel }: { channel: Channel }) {
  const { tests } = useChannelContext();
  const { t } = useTranslation('channel');
  const outcome = tests.outcomes[channel.id];
  if (!outcome) return <ResponseTag ms={channel.response_time} failed={hasFailedTest(channel)} />;
  const text = outcome.state === 'failed' ? describeError(outcome.error) : t('test.running');
  return (
    <Box
      component="span"
      role="status"
      title={text}
      sx={{ color: outcome.state === 'failed' ? 'error.main' : 'info.main' }}
    >
      {text}
    </Box>
  );
}

function QuotaCell({ channel }: { channel: Channel }) {
  const { t } = useTranslation('channel');
  const { updateBalance } = useChannelContext();
  const shown = formatBalance(channel.balance);
  const hint = t('balance.hint', { balance: channel.balance.toFixed(2) });
  return (
    <>
      <QuotaText quota={channel.used_quota} /> /{' '}
      <Box
        component="button"
        type="button"
        title={hint}
        // The accessible name must contain the visible text (WCAG 2.5.3), which may be a shortened balance.
        aria-label={hint.includes(shown) ? hint : `${shown} · ${hint}`}
        onClick={() => void updateBalance(channel)}
        sx={{
          border: 0,
          p: 0,
          font: 'inherit',
          background: 'none',
          color: 'primary.main',
          cursor: 'pointer',
          minHeight: 24,
        }}
      >
        {shown}
      </Box>
    </>
  );
}

export const BAD_NUMBER = { priority: 'channel:form.badPriority', weight: 'channel:form.badWeight' } as const;
export const SMALL_NUMBER = { priority: 'channel:form.smallPriority', weight: 'channel:form.badWeight' } as const;
export const BIG_NUMBER = { priority: 'channel:form.bigPriority', weight: 'channel:form.bigWeight' } as const;

function NumberCell({ channel, field }: { channel: Channel; field: 'priority' | 'weight' }) {
  const { t } = useTranslation('channel');
  const { saveNumber } = useChannelContext();
  return (
    <InlineNumber
      label={t(`inline.${field}`, { name: channel.name })}
      value={channel[field] ?? 0}
      min={field === 'priority' ? -999 : 0}
      max={MAX_CHANNEL_NUMBER}
      clamps={field === 'weight'}
      invalid={BAD_NUMBER[field]}
      tooSmall={SMALL_NUMBER[field]}
      tooLarge={BIG_NUMBER[field]}
      onSave={(value) => saveNumber(channel, field, value)}
    />
  );
}

export const ACTIONS_PX = 116;

export const channelColumns = foldColumns<Channel>(
  [
    {
      id: 'id',
      header: 'channel:column.id',
      width: 56,
      least: 44,
      mobile: 'number',
      cell: ({ id }) => <Tag color={identityColor(id)}>{id}</Tag>,
    },
    {
      id: 'name',
      header: 'channel:column.name',
      width: 'grow',
      least: 120,
      mobile: 'title',
      text: ({ name }) => name,
      cell: (channel) => <NameCell channel={channel} />,
    },
    {
      id: 'group',
      header: 'channel:column.group',
      width: 108,
      // Room for `default` and the number of others.
      least: 96,
      cell: ({ group }) => <GroupTags groups={splitNames(group)} />,
    },
    {
      id: 'type',
      header: 'channel:column.type',
      width: 140,
      least: 126,
      mobile: 'field',
      cell: ({ type }) => <TypeTag type={type} />,
    },
    {
      id: 'status',
      header: 'channel:column.status',
      width: 156,
      least: 132,
      mobile: 'badge',
      cell: (channel) => <StatusCell channel={channel} />,
    },
    {
      id: 'response',
      header: 'channel:column.response',
      width: 96,
      least: 80,
      mobile: 'field',
      cell: (channel) => <ResponseCell channel={channel} />,
    },
    {
      id: 'quota',
      header: 'channel:column.quota',
      width: 140,
      least: 122,
      align: 'right',
      mobile: 'field',
      cell: (channel) => <QuotaCell channel={channel} />,
    },
    {
      id: 'priority',
      header: 'channel:column.priority',
      width: 78,
      least: 72,
      align: 'right',
      cell: (channel) => <NumberCell channel={channel} field="priority" />,
    },
    {
      id: 'weight',
      header: 'channel:column.weight',
      width: 78,
      least: 72,
      align: 'right',
      cell: (channel) => <NumberCell channel={channel} field="weight" />,
    },
  ],
  ['response', 'quota', 'type', 'group', 'priority', 'weight'],
  { beside: CHECK_PX + ACTIONS_PX },
);
