import BackIcon from '@mui/icons-material/ArrowBack';
import DownloadIcon from '@mui/icons-material/FileDownloadOutlined';
import PrintIcon from '@mui/icons-material/PrintOutlined';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import type { InvoiceMatch, InvoiceResult as Result, InvoiceTotals } from '@tollgate/contracts/api/invoice';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { useGetInvoiceQuery } from '../../api/invoice.api.js';
import { downloadFile } from '../../app/download.js';
import { useAppDispatch } from '../../app/store.js';
import { useOneAtATime } from '../../components/basics/use-one-at-a-time.js';
import { Placeholder } from '../../components/feedback/busy.js';
import { Callout } from '../../components/feedback/callout.js';
import { Card } from '../../components/layout/card.js';
import { DaySpan } from '../../components/texts/day-span.js';
import { DefinitionList } from '../../components/layout/definition-list.js';
import { lazyPart } from '../../components/basics/lazy-part.js';
import { PageHeader } from '../../components/layout/page-header.js';
import { PlainTable } from '../../components/tables/plain-table.js';
import { formatDollars, formatUnits } from '../../components/money/quota-format.js';
import { QuotaText } from '../../components/money/quota-text.js';
import { StatTile } from '../../components/layout/stat-tile.js';
import { ErrorState } from '../../components/feedback/states.js';
import { SwitchButton } from '../../components/forms/switch-button.js';
import { Unknown } from '../../components/texts/unknown.js';
import { Tag } from '../../components/texts/tag.js';

const RequestsDialog = lazyPart(async () => (await import('./requests-dialog.js')).RequestsDialog);

/** Lines rendered at once; an invoice of a year with many models has thousands. */
const STEP = 100;

const colors = { matches: 'green', differs: 'red', 'not-invoiced': 'amber', 'not-ours': 'red' } as const;

/** Columns with texts, aligned left; all others hold numbers. */
const words: ReadonlySet<string> = new Set(['model', 'state']);

function Tokens({ input, output }: Pick<InvoiceMatch['ours'], 'input' | 'output'>) {
  const { t } = useTranslation('invoice');
  return (
    <>
      <div>{t('tokens.input', { tokens: formatUnits(input) })}</div>
      <div>{t('tokens.output', { tokens: formatUnits(output) })}</div>
    </>
  );
}

/** The known cost. If it is known for only some requests, a tag shows for how many. */
function Cost({ requests, cost, costed }: InvoiceMatch['journal']) {
  const { t } = useTranslation('invoice');
  if (cost === null) return <Unknown />;
  return (
    <>
      <QuotaText quota={cost} digits={4} />
      {costed < requests && (
        <Tag color="amber">{t('costed', { costed: formatUnits(costed), requests: formatUnits(requests) })}</Tag>
      )}
    </>
  );
}

const tiles = { display: 'grid', gridTemplateColumns: 'repeat(auto-fit, minmax(150px, 1fr))', gap: 2 } as const;

/** The provider's total beside what was charged to users and the expected cost. */
function Totals({ totals: { invoice, ours, journal, difference } }: { totals: InvoiceTotals }) {
  const { t } = useTranslation('invoice');
  return (
    <Box sx={tiles}>
      <StatTile
        label={t('column.amount')}
        value={invoice.amount === null ? t('summary.noAmount') : formatDollars(invoice.amount)}
      />
      <StatTile label={t('column.cost')} value={<Cost {...journal} />} />
      <StatTile label={t('column.sales')} value={<QuotaText quota={journal.sales} />} />
      <StatTile label={t('summary.invoiced')} value={formatUnits(invoice.input + invoice.output)} />
      <StatTile label={t('summary.booked')} value={formatUnits(ours.input + ours.output)} />
      <StatTile
        label={t('column.difference')}
        value={formatUnits(difference.input + difference.output)}
        scope={t('summary.sides', { input: formatUnits(difference.input), output: formatUnits(difference.output) })}
      />
    </Box>
  );
}

function Matches({ matches, onExplain }: { matches: InvoiceMatch[]; onExplain: (match: InvoiceMatch) => void }) {
  const { t } = useTranslation('invoice');
  const names = [
    'day',
    'model',
    'state',
    'invoice',
    'upstream',
    'ours',
    'difference',
    'requests',
    'amount',
    'sales',
    'cost',
  ] as const;
  return (
    <PlainTable
      label={t('title')}
      head={[...names.map((name) => (words.has(name) ? { words: t(`column.${name}`) } : t(`column.${name}`))), '']}
      rows={matches.map((match) => {
        const { day, model, state, invoice, upstream, ours, journal, difference } = match;
        return {
          id: `${day} ${model}`,
          cells: [
            day,
            model,
            <Tag key="state" color={colors[state]}>
              {t(`state.${state}`)}
            </Tag>,
            <Tokens key="invoice" {...invoice} />,
            <Tokens key="upstream" {...upstream} />,
            <Tokens key="ours" {...ours} />,
            state === 'matches' ? '' : <Tokens key="difference" {...difference} />,
            formatUnits(journal.requests),
            invoice.amount === null ? '' : formatDollars(invoice.amount),
            <QuotaText key="sales" quota={journal.sales} digits={4} />,
            <Cost key="cost" {...journal} />,
            <Button key="explain" size="small" className="no-print" onClick={() => onExplain(match)}>
              {t('explain')}
            </Button>,
          ],
        };
      })}
    />
  );
}

function Outcome({ result }: { result: Result }) {
  const { t } = useTranslation('invoice');
  const { invoice, complete, matches, totals } = result;
  const faults = matches.filter(({ state }) => state !== 'matches');
  const [onlyFaults, setOnlyFaults] = useState(faults.length > 0);
  const [explained, setExplained] = useState<InvoiceMatch>();
  const [limit, setLimit] = useState(STEP);
  const chosen = onlyFaults ? faults : matches;
  const shown = chosen.slice(0, limit);
  return (
    <Stack spacing={2}>
      {!complete && <Callout severity="warning">{t('incomplete')}</Callout>}
      <Totals totals={totals} />
      <Card>
        <DefinitionList
          rows={[
            { label: t('column.span'), value: <DaySpan from={invoice.first_day} to={invoice.last_day} /> },
            { label: t('summary.zone'), value: invoice.zone },
            { label: t('column.channels'), value: invoice.channel_ids.join(', ') },
            { label: t('summary.faults'), value: `${faults.length} / ${matches.length}` },
            { label: t('summary.digest'), value: <code>{invoice.digest}</code> },
          ]}
        />
      </Card>
      <Card>
        <Box className="no-print" sx={{ mb: 1 }}>
          <SwitchButton on={onlyFaults} onChange={setOnlyFaults} label={t('onlyFaults')} />
        </Box>
        {shown.length === 0 ? t('allMatch') : <Matches matches={shown} onExplain={setExplained} />}
        {chosen.length > limit && (
          <Button className="no-print" onClick={() => setLimit(limit + STEP)} sx={{ mt: 1 }}>
            {t('showMore', { shown: formatUnits(limit), total: formatUnits(chosen.length) })}
          </Button>
        )}
      </Card>
      <Suspense fallback={null}>
        {explained && <RequestsDialog id={invoice.id} match={explained} onClose={() => setExplained(undefined)} />}
      </Suspense>
    </Stack>
  );
}

/**
 * Compares the token counts per day and model: on the invoice, as the upstream reported them in its replies, and as
 * booked.
 */
export function InvoiceResult({ id }: { id: number }) {
  const { t } = useTranslation('invoice');
  const dispatch = useAppDispatch();
  const navigate = useNavigate();
  const query = useGetInvoiceQuery(id, { refetchOnMountOrArgChange: true });
  const { currentData: data, error } = query;
  const file = useOneAtATime(() => dispatch(downloadFile(`api/invoice/${id}/export`, {}, `invoice_${id}.csv`)));
  return (
    <>
      <PageHeader
        title={data?.invoice.name ?? t('title')}
        purpose={t('purpose')}
        secondary={[
          { id: 'back', label: t('back'), icon: <BackIcon />, run: () => void navigate('/invoice') },
          {
            id: 'export',
            label: t('export'),
            icon: <DownloadIcon />,
            run: file.start,
            busy: file.busy,
          },
          { id: 'print', label: t('print'), icon: <PrintIcon />, run: () => window.print() },
        ]}
        freshness={{ at: query.fulfilledTimeStamp, refetch: query.refetch }}
      />
      {error && <ErrorState error={error} retry={query.refetch} />}
      {!error && !data && <Placeholder sx={{ height: 320 }} />}
      {data && <Outcome key={id} result={data} />}
    </>
  );
}
