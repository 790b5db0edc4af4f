import Button from '@mui/material/Button';
import Box from '@mui/material/Box';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import { useTranslation } from 'react-i18next';
import { Placeholder } from '../../components/feedback/busy.js';
import { QuotaText } from '../../components/money/quota-text.js';
import { StatTile } from '../../components/layout/stat-tile.js';
import { ErrorState } from '../../components/feedback/states.js';
import { useGetUserQuery } from '../../api/user.api.js';
import { formatCount } from '../../components/basics/count-format.js';

/** The user who made the request, with the balance. */
export function UserDialog({ id, onClose }: { id: number; onClose: () => void }) {
  const { t } = useTranslation('log');
  const { data: user, error, refetch } = useGetUserQuery(id);
  return (
    <Dialog open onClose={onClose} fullWidth maxWidth="xs" aria-labelledby="user-title">
      <DialogTitle id="user-title" variant="h6">
        {t('user.title')}
      </DialogTitle>
      <DialogContent>
        {error && <ErrorState error={error} retry={() => void refetch()} />}
        {!user && !error && <Placeholder sx={{ height: 120 }} />}
        {user && (
          <Box sx={{ display: 'grid', gridTemplateColumns: '1fr 1fr', gap: 2 }}>
            <StatTile label={t('user.name')} value={user.username} />
            <StatTile label={t('user.balance')} value={<QuotaText quota={user.quota} balance />} />
            <StatTile label={t('user.used')} value={<QuotaText quota={user.used_quota} />} />
            <StatTile label={t('user.requests')} value={formatCount(user.request_count)} />
          </Box>
        )}
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose}>{t('action.close')}</Button>
      </DialogActions>
    </Dialog>
  );
}
