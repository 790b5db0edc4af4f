import AddIcon from '@mui/icons-material/Add';
import type { Invoice } from '@tollgate/contracts/api/invoice';
import { Suspense, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate, useParams } from 'react-router-dom';
import { useListInvoicesQuery } from '../../api/invoice.api.js';
import { lazyPart } from '../../components/basics/lazy-part.js';
import { useLocalList } from '../../components/tables/local-list.js';
import { PageHeader } from '../../components/layout/page-header.js';
import { formatUnits } from '../../components/money/quota-format.js';
import { savedState } from '../../components/overlays/dirty-guard.js';
import { ResourceTable } from '../../components/tables/resource-table.js';
import { foldColumns } from '../../components/tables/table-columns.js';
import { DaySpan } from '../../components/texts/day-span.js';
import { TimeText } from '../../components/texts/time-text.js';
import { InvoiceResult } from './invoice-result.js';

const ImportDialog = lazyPart(async () => (await import('./import-dialog.js')).ImportDialog);

function Format({ format }: Invoice) {
  const { t } = useTranslation('invoice');
  return t(`format.${format}`);
}

export const invoiceColumns = foldColumns<Invoice>(
  [
    { id: 'id', header: 'invoice:column.id', width: 72, least: 48, cell: ({ id }) => `#${id}` },
    {
      id: 'name',
      header: 'invoice:column.name',
      width: 'grow',
      least: 112,
      mobile: 'title',
      text: ({ name }) => name,
      cell: ({ id, name }) => <Link to={`/invoice/${id}`}>{name}</Link>,
    },
    {
      id: 'format',
      header: 'invoice:format.label',
      width: 200,
      least: 158,
      mobile: 'field',
      cell: (row) => <Format {...row} />,
    },
    {
      id: 'span',
      header: 'invoice:column.span',
      width: 210,
      least: 164,
      mobile: 'field',
      cell: (row) => <DaySpan from={row.first_day} to={row.last_day} />,
    },
    {
      id: 'channels',
      header: 'invoice:column.channels',
      width: 120,
      least: 92,
      text: (row) => row.channel_ids.join(', '),
      cell: (row) => row.channel_ids.join(', '),
    },
    {
      id: 'rows',
      header: 'invoice:column.rows',
      width: 90,
      least: 72,
      align: 'right',
      cell: ({ rows }) => formatUnits(rows),
    },
    { id: 'by', header: 'invoice:column.by', width: 108, least: 92, cell: (row) => row.imported_by },
    {
      id: 'time',
      header: 'invoice:column.time',
      width: 170,
      least: 140,
      mobile: 'field',
      cell: (row) => <TimeText at={row.imported_time} />,
    },
  ],
  ['time', 'channels', 'by'],
);

function InvoiceList() {
  const { t } = useTranslation('invoice');
  const navigate = useNavigate();
  const list = useLocalList<Record<string, string>>({});
  const { page, size } = list;
  const query = useListInvoicesQuery({ page, size });
  const [importing, setImporting] = useState(false);
  const open = () => setImporting(true);
  return (
    <>
      <PageHeader
        title={t('title')}
        purpose={t('purpose')}
        primary={{ id: 'import', label: t('import'), icon: <AddIcon />, run: open }}
        freshness={{ at: query.fulfilledTimeStamp, refetch: query.refetch }}
      />
      <ResourceTable
        id="invoice"
        label={t('title')}
        columns={invoiceColumns}
        rowId={({ id }) => id}
        rowName={({ name }) => name}
        query={query}
        list={list}
        empty={{ title: t('empty.title'), body: t('empty.body'), action: { label: t('import'), run: open } }}
      />
      <Suspense fallback={null}>
        {importing && (
          <ImportDialog
            onClose={() => setImporting(false)}
            onDone={(id) => void navigate(`/invoice/${id}`, { state: savedState })}
          />
        )}
      </Suspense>
    </>
  );
}

/**
 * List and result share one route, so the shell does not move the focus when the reader changes between them. This
 * moves it to the heading.
 */
function useArrival(id: string | undefined): void {
  const before = useRef(id);
  useEffect(() => {
    if (id === before.current) return;
    before.current = id;
    document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
  }, [id]);
}

/** Imported invoices of providers, and their comparison with the books. */
export function InvoicePage() {
  const { id } = useParams();
  useArrival(id);
  return id !== undefined && /^\d{1,9}$/.test(id) ? <InvoiceResult id={Number(id)} /> : <InvoiceList />;
}
