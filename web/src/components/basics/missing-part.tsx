import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { framedWhenForced } from './forced-colors.js';

interface MissingPartProps {
  /** Lies above the page, at the lower edge of the window. */
  above: boolean;
  again: () => void;
  onClose?: () => void;
}

const box = {
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: 1,
  px: 1.5,
  py: 1,
  borderRadius: '6px',
  bgcolor: 'warning.soft',
  color: 'text.primary',
  typography: 'body2',
  textAlign: 'left',
  ...framedWhenForced,
} as const;
const atLowerEdge = {
  position: 'fixed',
  left: 16,
  right: 16,
  bottom: 16,
  maxWidth: 640,
  mx: 'auto',
  zIndex: 'snackbar',
  boxShadow: 8,
} as const;

/** Shown in the place of a part of the console whose file could not be loaded: the network failed, or the file is of an older version. */
export function MissingPart({ above, again, onClose }: MissingPartProps) {
  const { t } = useTranslation();
  const [closed, setClosed] = useState(false);
  if (closed) return null;
  const close = () => {
    setClosed(true);
    onClose?.();
  };
  return (
    <Box role="alert" sx={above ? [box, { bgcolor: 'background.raised' }, atLowerEdge] : box}>
      <Box sx={{ flex: '1 1 240px', minWidth: 0 }}>
        <Box sx={{ fontWeight: 600 }}>{t('state.missingPart')}</Box>
        {t('state.missingBody')}
      </Box>
      <Button color="inherit" autoFocus={above} onClick={again}>
        {t('action.retry')}
      </Button>
      <Button color="inherit" onClick={() => window.location.reload()}>
        {t('action.reload')}
      </Button>
      {above && (
        <Button color="inherit" onClick={close}>
          {t('action.close')}
        </Button>
      )}
    </Box>
  );
}
