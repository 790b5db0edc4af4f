import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { DifferenceList } from '../../../components/tables/difference-list.js';
import { differencesOf } from './ratio-rows.js';
import type { RatioStage } from './use-ratio-edits.js';

/** Every staged number beside the stored one, before it is applied. */
export function ChangesDialog({ stage, onClose }: { stage: RatioStage; onClose: () => void }) {
  const { t } = useTranslation('setting');
  const { maps, edits } = stage;
  const rows = useMemo(
    () =>
      differencesOf(maps, edits).map(({ field, ...difference }) => ({
        ...difference,
        name: t(`ratio.column.${field}`),
      })),
    [maps, edits, t],
  );
  return (
    <Dialog open onClose={onClose} fullWidth maxWidth="md" aria-labelledby="price-changes">
      <DialogTitle id="price-changes" variant="h6">
        {t('ratio.changes')}
      </DialogTitle>
      <DialogContent>
        <DifferenceList rows={rows} />
      </DialogContent>
      <DialogActions>
        <Button variant="contained" onClick={onClose}>
          {t('action.close')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
