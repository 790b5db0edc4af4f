import DownloadIcon from '@mui/icons-material/FileDownloadOutlined';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import Stack from '@mui/material/Stack';
import type { CorrectionRun, CorrectionSum } from '@tollgate/contracts/api/approval';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { useGetCorrectionQuery } from '../../api/approval.api.js';
import { downloadFile } from '../../app/download.js';
import { useAppDispatch } from '../../app/store.js';
import { BusyButton } from '../../components/basics/busy-button.js';
import { useOneAtATime } from '../../components/basics/use-one-at-a-time.js';
import { Placeholder } from '../../components/feedback/busy.js';
import { Card } from '../../components/layout/card.js';
import { DefinitionList } from '../../components/layout/definition-list.js';
import { PlainTable } from '../../components/tables/plain-table.js';
import { formatUnits } from '../../components/money/quota-format.js';
import { QuotaText } from '../../components/money/quota-text.js';
import { ErrorState } from '../../components/feedback/states.js';

const money = (quota: number) => <QuotaText quota={quota} digits={4} />;
const difference = ({ charged, rerated }: Pick<CorrectionSum, 'charged' | 'rerated'>) => (
  <QuotaText quota={charged - rerated} digits={4} signed />
);

function Sums({ name, sums }: { name: string; sums: CorrectionSum[] }) {
  const { t } = useTranslation('approval');
  return (
    <PlainTable
      label={name}
      maxHeight={240}
      head={[name, t('correction.requests'), t('correction.charged'), t('correction.rerated'), t('column.change')]}
      rows={sums.map((sum) => ({
        id: sum.key,
        cells: [sum.key, formatUnits(sum.requests), money(sum.charged), money(sum.rerated), difference(sum)],
      }))}
    />
  );
}

function Rows({ run }: { run: CorrectionRun }) {
  const { t } = useTranslation('approval');
  return (
    <Card title={t('correction.rows', { shown: run.rows.length, count: run.requests })}>
      <PlainTable
        label={t('correction.request')}
        maxHeight={280}
        head={[
          t('correction.request'),
          t('column.user'),
          { words: t('correction.model') },
          t('correction.charged'),
          t('correction.rerated'),
          t('column.change'),
        ]}
        rows={run.rows.map((row) => ({
          id: row.request_id,
          cells: [
            <Link key="proof" to={`/proof/request/${row.request_id}`}>
              {row.request_id}
            </Link>,
            row.user_id,
            row.model,
            money(row.charged),
            money(row.rerated),
            difference(row),
          ],
        }))}
      />
    </Card>
  );
}

function Run({ run }: { run: CorrectionRun }) {
  const { t } = useTranslation('approval');
  return (
    <Stack spacing={2}>
      <DefinitionList
        rows={[
          { label: t('correction.requests'), value: formatUnits(run.requests) },
          { label: t('correction.users'), value: formatUnits(run.users) },
          { label: t('correction.charged'), value: money(run.charged) },
          { label: t('correction.rerated'), value: money(run.rerated) },
          { label: t('column.change'), value: difference(run) },
          { label: t('correction.digest'), value: <code>{run.digest}</code> },
        ]}
      />
      <Sums name={t('column.user')} sums={run.by_user} />
      <Sums name={t('correction.model')} sums={run.by_model} />
      <Sums name={t('correction.channel')} sums={run.by_channel} />
      <Rows run={run} />
    </Stack>
  );
}

/** Previews the postings of a correction run before a second administrator approves it. */
export function CorrectionDialog({ id, onClose }: { id: number; onClose: () => void }) {
  const { t } = useTranslation('approval');
  const dispatch = useAppDispatch();
  const titleId = useId();
  const { data, error, refetch } = useGetCorrectionQuery(id);
  const path = `api/approval/${id}/correction/export`;
  const file = useOneAtATime(() => dispatch(downloadFile(path, {}, `correction_${id}.csv`)));
  return (
    <Dialog open onClose={onClose} fullWidth maxWidth="md" aria-labelledby={titleId}>
      <DialogTitle id={titleId} variant="h6">
        {t('correction.title', { id })}
      </DialogTitle>
      <DialogContent>
        {error && <ErrorState error={error} retry={refetch} />}
        {!error && !data && <Placeholder sx={{ height: 320 }} />}
        {data && <Run run={data} />}
      </DialogContent>
      <DialogActions>
        <BusyButton startIcon={<DownloadIcon />} busy={file.busy} onClick={file.start}>
          {t('correction.export')}
        </BusyButton>
        <Button onClick={onClose}>{t('action.close')}</Button>
      </DialogActions>
    </Dialog>
  );
}
