import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { saveFile } from '../../app/save-file.js';
import { useCopy } from '../../components/texts/copy-button.js';
import { formatTime } from '../../components/basics/time-format.js';

/** The file name from batch name and time, without characters that file systems refuse. */
export const fileNameOf = (name: string, now = Date.now()): string =>
  `${name.replace(/[\\/:*?"<>|\p{Cc}]/gu, '_') || 'codes'}_${formatTime(Math.floor(now / 1000)).replace(/[^\d]/g, '')}.txt`;

/** The codes that were just created, to copy or download. */
export function CreatedDialog({ name, keys, onClose }: { name: string; keys: string[]; onClose: () => void }) {
  const { t } = useTranslation('redemption');
  const { copy, dialog } = useCopy();
  const [file] = useState(() => fileNameOf(name));
  return (
    <Dialog open onClose={onClose} fullWidth maxWidth="xs" aria-labelledby="created-title">
      <DialogTitle id="created-title" variant="h6">
        {t('done.title')}
      </DialogTitle>
      <DialogContent>{t('done.body', { count: keys.length })}</DialogContent>
      <DialogActions sx={{ flexWrap: 'wrap' }}>
        <Button onClick={onClose}>{t('action.close')}</Button>
        <Button onClick={() => void copy(keys.join('\n'))}>{t('done.copy')}</Button>
        <Button variant="contained" onClick={() => saveFile(file, `${keys.join('\n')}\n`, 'text/plain;charset=utf-8')}>
          {t('done.download')}
        </Button>
      </DialogActions>
      {dialog}
    </Dialog>
  );
}
