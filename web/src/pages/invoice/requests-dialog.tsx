import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import type { InvoiceMatch, InvoiceRequests } from '@tollgate/contracts/api/invoice';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { useListInvoiceRequestsQuery } from '../../api/invoice.api.js';
import { Placeholder } from '../../components/feedback/busy.js';
import { Callout } from '../../components/feedback/callout.js';
import { PlainTable } from '../../components/tables/plain-table.js';
import { formatUnits } from '../../components/money/quota-format.js';
import { ErrorState } from '../../components/feedback/states.js';

function Requests({ items, total, complete }: InvoiceRequests) {
  const { t } = useTranslation('invoice');
  const gaps = !complete && <Callout severity="warning">{t('requests.incomplete')}</Callout>;
  if (items.length === 0) return gaps || <>{t('requests.none')}</>;
  return (
    <>
      {gaps}
      <p>{t('requests.shown', { shown: items.length, total })}</p>
      <PlainTable
        label={t('explain')}
        maxHeight={420}
        head={[t('requests.request'), { words: t('requests.doubts') }, t('requests.channel'), t('requests.tokens')]}
        rows={items.map((row) => ({
          id: row.request_id,
          cells: [
            <Link key="proof" to={`/proof/request/${row.request_id}`}>
              {row.request_id}
            </Link>,
            row.doubts.map((doubt) => t(`doubt.${doubt}`)).join(t('table.separator')),
            row.channel_id,
            `${formatUnits(row.input)} / ${formatUnits(row.output)}`,
          ],
        }))}
      />
    </>
  );
}

interface RequestsDialogProps {
  id: number;
  match: Pick<InvoiceMatch, 'day' | 'model'>;
  onClose: () => void;
}

/** The requests of one day and model, as possible reasons for a difference from the provider's count. */
export function RequestsDialog({ id, match: { day, model }, onClose }: RequestsDialogProps) {
  const { t } = useTranslation('invoice');
  const titleId = useId();
  const { data, error, refetch } = useListInvoiceRequestsQuery({ id, day, model });
  return (
    <Dialog open onClose={onClose} fullWidth maxWidth="md" aria-labelledby={titleId}>
      <DialogTitle id={titleId} variant="h6">
        {t('requests.title', { day, model })}
      </DialogTitle>
      <DialogContent>
        {error && <ErrorState error={error} retry={refetch} />}
        {!error && !data && <Placeholder sx={{ height: 200 }} />}
        {data && <Requests {...data} />}
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose}>{t('action.close')}</Button>
      </DialogActions>
    </Dialog>
  );
}
