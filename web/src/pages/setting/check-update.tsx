import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import type { Release } from '@tollgate/contracts/api/status';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCheckUpdateMutation } from '../../api/status.api.js';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch } from '../../app/store.js';
import { BusyButton } from '../../components/basics/busy-button.js';
import { RichText } from '../../components/texts/rich-text.js';

function ReleaseDialog({ release, onClose }: { release: Release; onClose: () => void }) {
  const { t } = useTranslation('setting');
  return (
    <Dialog open onClose={onClose} fullWidth maxWidth="sm" aria-labelledby="release">
      <DialogTitle id="release" variant="h6">
        {t('info.newer', { tag: release.tag })}
      </DialogTitle>
      <DialogContent>
        <RichText text={release.notes || t('info.notes')} />
      </DialogContent>
      <DialogActions>
        {release.url && (
          <Button component="a" href={release.url} target="_blank" rel="noopener noreferrer">
            {t('info.details')}
          </Button>
        )}
        <Button onClick={onClose}>{t('action.close')}</Button>
      </DialogActions>
    </Dialog>
  );
}

/** Checks for a new release. The request to another site is made only when the button is pressed. */
export function CheckUpdate() {
  const { t } = useTranslation('setting');
  const dispatch = useAppDispatch();
  const [check, { isLoading }] = useCheckUpdateMutation();
  const [found, setFound] = useState<Release>();
  const ask = async () => {
    // Errors of the request are already shown as a toast with their reason.
    const { data: release } = await check();
    if (release?.newer) setFound(release);
    else if (release) {
      dispatch(toastShown({ severity: 'success', key: 'setting:info.latest', params: { tag: release.tag } }));
    }
  };
  return (
    <>
      <BusyButton variant="outlined" busy={isLoading} onClick={() => void ask()}>
        {t('info.check')}
      </BusyButton>
      {found && <ReleaseDialog release={found} onClose={() => setFound(undefined)} />}
    </>
  );
}
