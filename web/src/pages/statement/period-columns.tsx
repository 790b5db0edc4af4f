import Stack from '@mui/material/Stack';
import type { ClosedPeriod } from '@tollgate/contracts/api/statement';
import { useTranslation } from 'react-i18next';
import { DefinitionList } from '../../components/layout/definition-list.js';
import { formatUnits } from '../../components/money/quota-format.js';
import { CARD_PX, foldColumns } from '../../components/tables/table-columns.js';
import { CopyButton } from '../../components/texts/copy-button.js';
import { DaySpan } from '../../components/texts/day-span.js';
import { TimeText } from '../../components/texts/time-text.js';

function Span({ period: { first_day: first, last_day: last } }: { period: ClosedPeriod }) {
  const { t } = useTranslation('statement');
  return <DaySpan from={first || t('periods.beginning')} to={last} />;
}

function Signature({ seal }: { seal: NonNullable<ClosedPeriod['seal']> }) {
  const { t } = useTranslation('statement');
  return seal.signature ? <code>{seal.signature}</code> : t('periods.unsigned');
}

/** A digest or signature in full; auditors compare all of it. */
function Whole({ text }: { text: string }) {
  return (
    <Stack direction="row" spacing={0.5} sx={{ alignItems: 'center' }}>
      <code>{text}</code>
      <CopyButton text={text} />
    </Stack>
  );
}

export function PeriodDetail({ period: { seal, actor_id: actor, note } }: { period: ClosedPeriod }) {
  const { t } = useTranslation('statement');
  const rows = [
    { label: t('periods.digest'), value: seal && <Whole text={seal.digest} /> },
    {
      label: t('periods.signature'),
      value: seal && (seal.signature ? <Whole text={seal.signature} /> : t('periods.unsigned')),
    },
    { label: t('periods.actor'), value: actor },
    { label: t('periods.note'), value: note },
  ];
  return <DefinitionList rows={rows.filter(({ value }) => value !== null && value !== undefined && value !== '')} />;
}

export const ACTIONS_PX = 84;

export const periodColumns = foldColumns<ClosedPeriod>(
  [
    {
      id: 'span',
      header: 'statement:periods.span',
      width: 210,
      least: 172,
      mobile: 'title',
      cell: (row) => <Span period={row} />,
    },
    {
      id: 'postings',
      header: 'statement:periods.postings',
      width: 100,
      least: 84,
      align: 'right',
      mobile: 'field',
      cell: ({ seal }) => (seal ? formatUnits(seal.postings) : null),
    },
    {
      id: 'digest',
      header: 'statement:periods.digest',
      width: 'grow',
      least: 148,
      only: 'wide',
      text: ({ seal }) => seal?.digest ?? '',
      cell: ({ seal }) => <code>{seal?.digest}</code>,
    },
    {
      id: 'signature',
      header: 'statement:periods.signature',
      told: true,
      width: 176,
      least: 164,
      only: 'wide',
      text: ({ seal }) => seal?.signature ?? '',
      cell: ({ seal }) => (seal ? <Signature seal={seal} /> : null),
    },
    {
      id: 'closed',
      header: 'statement:periods.closed',
      width: 160,
      least: 140,
      mobile: 'field',
      cell: (row) => <TimeText at={row.closed_time} />,
    },
    {
      id: 'actor',
      header: 'statement:periods.actor',
      told: true,
      width: 80,
      least: 72,
      only: 'wide',
      cell: (row) => row.actor_id,
    },
    {
      id: 'note',
      header: 'statement:periods.note',
      told: true,
      width: 140,
      least: 90,
      only: 'wide',
      text: ({ note }) => note,
      cell: ({ note }) => note,
    },
  ],
  ['closed', 'signature', 'actor', 'note'],
  { beside: CARD_PX + ACTIONS_PX, opens: true },
);
