import AddIcon from '@mui/icons-material/ZoomIn';
import OpenIcon from '@mui/icons-material/OpenInNew';
import RemoveIcon from '@mui/icons-material/ZoomOut';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import type { Drawing } from '@tollgate/contracts/api/task';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Callout } from '../../components/feedback/callout.js';
import { DeniableIcon } from '../../components/feedback/deniable-button.js';

const STEPS = [1, 1.5, 2, 3] as const;

/** One picture with zoom. A picture that fails to load is reported, with a link that opens it in a tab. */
export function PictureDialog({ drawing, onClose }: { drawing: Drawing; onClose: () => void }) {
  const { t } = useTranslation('midjourney');
  const [step, setStep] = useState(0);
  const [failed, setFailed] = useState(false);
  const scale = STEPS[step] ?? 1;
  return (
    <Dialog open onClose={onClose} fullWidth maxWidth="lg" aria-labelledby="picture-title">
      <DialogTitle id="picture-title" variant="h6">
        {t('picture.title', { id: drawing.mj_id })}
      </DialogTitle>
      <DialogContent sx={{ overflow: 'auto', textAlign: 'center' }}>
        {failed ? (
          <Callout severity="error">{t('picture.failed')}</Callout>
        ) : (
          <Box
            component="img"
            src={drawing.image_url}
            alt={drawing.prompt || t('picture.alt')}
            onError={() => setFailed(true)}
            sx={{ width: `${scale * 100}%`, maxWidth: scale === 1 ? 'fit-content' : 'none' }}
          />
        )}
      </DialogContent>
      <DialogActions>
        <DeniableIcon
          aria-label={t('picture.smaller')}
          denied={failed ? t('picture.failed') : step === 0 ? t('picture.smallest') : undefined}
          onClick={() => setStep((now) => now - 1)}
        >
          <RemoveIcon />
        </DeniableIcon>
        <DeniableIcon
          aria-label={t('picture.larger')}
          denied={failed ? t('picture.failed') : step === STEPS.length - 1 ? t('picture.largest') : undefined}
          onClick={() => setStep((now) => now + 1)}
        >
          <AddIcon />
        </DeniableIcon>
        <Button
          component="a"
          href={drawing.image_url}
          target="_blank"
          rel="noopener noreferrer"
          startIcon={<OpenIcon />}
        >
          {t('picture.open')}
        </Button>
        <Button variant="contained" onClick={onClose}>
          {t('action.close')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
