import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import Typography from '@mui/material/Typography';
import type { TopUpOrder, TopUpStep } from '@tollgate/contracts/api/top-up';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { useGetTopUpQuery } from '../../api/top-up.api.js';
import { Placeholder } from '../../components/feedback/busy.js';
import { DefinitionList } from '../../components/layout/definition-list.js';
import { QuotaText } from '../../components/money/quota-text.js';
import { ErrorState } from '../../components/feedback/states.js';
import { StatusChip } from '../../components/texts/status-chip.js';
import { TimeText } from '../../components/texts/time-text.js';
import { moneyOf } from './order-columns.js';

const raw = {
  bgcolor: 'background.sunken',
  borderRadius: '6px',
  p: 1,
  m: 0,
  whiteSpace: 'pre-wrap',
  overflowWrap: 'anywhere',
  typography: 'mono',
  fontSize: '0.75rem',
} as const;

function Step({ step }: { step: TopUpStep }) {
  const { t } = useTranslation('topup');
  return (
    <Box component="li" sx={{ borderLeft: 2, borderColor: 'border.subtle', pl: 1.5, pb: 1.5, listStyle: 'none' }}>
      <Typography variant="caption" component="p" sx={{ color: 'text.tertiary' }}>
        <TimeText at={step.time} />
      </Typography>
      <Typography variant="body2">
        {t(`step.${step.kind}`)}
        {step.verdict && ` · ${t(`verdict.${step.verdict}`)}`}
      </Typography>
      {step.reason && <Typography variant="body2">{t('step.reason', { reason: step.reason })}</Typography>}
      {Boolean(step.actor_id) && (
        <Typography variant="caption" component="p" sx={{ color: 'text.secondary' }}>
          {t('step.by', { id: step.actor_id })}
        </Typography>
      )}
      {step.raw && (
        <Box component="details" sx={{ mt: 0.5 }}>
          <Box component="summary" sx={{ typography: 'caption', cursor: 'pointer' }}>
            {t('step.raw')}
          </Box>
          <Box component="pre" sx={raw}>
            {step.raw}
          </Box>
        </Box>
      )}
    </Box>
  );
}

/** The events of an order, oldest first; administrators also see what the provider sent. */
export function TimelineDialog({ order, all, onClose }: { order: TopUpOrder; all: boolean; onClose: () => void }) {
  const { t } = useTranslation('topup');
  const { data, error, refetch } = useGetTopUpQuery({ id: order.id, all }, { refetchOnMountOrArgChange: true });
  const { status, quota } = data ?? order;
  return (
    <Dialog open onClose={onClose} fullWidth maxWidth="sm" aria-labelledby="timeline-title">
      <DialogTitle id="timeline-title" variant="h6" sx={{ overflowWrap: 'anywhere' }}>
        {order.trade_no}
      </DialogTitle>
      <DialogContent>
        <DefinitionList
          rows={[
            { label: t('column.status'), value: <StatusChip status={status} /> },
            { label: t('column.quota'), value: <QuotaText quota={quota} /> },
            { label: t('column.money'), value: moneyOf(order, t) },
          ]}
        />
        {!data &&
          (error ? <ErrorState error={error} retry={() => void refetch()} /> : <Placeholder sx={{ height: 96 }} />)}
        <Box component="ol" sx={{ m: 0, mt: 2, p: 0 }}>
          {data?.steps.map((step) => (
            <Step key={step.id} step={step} />
          ))}
        </Box>
      </DialogContent>
      <DialogActions>
        <Button component={Link} to={`/proof/order/${encodeURIComponent(order.trade_no)}`}>
          {t('posting.proof')}
        </Button>
        <Button onClick={onClose}>{t('action.close')}</Button>
      </DialogActions>
    </Dialog>
  );
}
