import CloseIcon from '@mui/icons-material/Close';
import Drawer from '@mui/material/Drawer';
import IconButton from '@mui/material/IconButton';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';
import { useEffect, useId } from 'react';
import { useTranslation } from 'react-i18next';

interface DrawerFrameProps {
  title: string;
  onClose: () => void;
  children: ReactNode;
}

/** A drawer that was opened by its address has no button to return the focus to, which would then be at the top of the page. */
function focusPage(): void {
  if (document.activeElement !== document.body) return;
  document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
}

/** A dialog from the right, 600 px wide, or full screen in the narrow layout; its head stays in view. */
export function DrawerFrame({ title, onClose, children }: DrawerFrameProps) {
  const { t } = useTranslation();
  const titleId = useId();
  // Later than the drawer, or what follows it, moves the focus.
  useEffect(() => () => void setTimeout(focusPage), []);
  const paper = {
    role: 'dialog',
    'aria-modal': true,
    'aria-labelledby': titleId,
    // `dvh` excludes the keyboard of a phone.
    sx: { width: { xs: '100%', sm: 600 }, height: '100dvh' },
  };
  return (
    <Drawer anchor="right" open onClose={onClose} sx={{ zIndex: 'modal' }} slotProps={{ paper }} data-side-drawer>
      <Stack
        direction="row"
        sx={{
          alignItems: 'center',
          px: 2,
          minHeight: 56,
          flexShrink: 0,
          borderBottom: 1,
          borderColor: 'border.subtle',
        }}
      >
        <Typography variant="h6" component="h2" id={titleId} title={title} noWrap sx={{ flex: 1 }}>
          {title}
        </Typography>
        <IconButton size="small" aria-label={t('action.close')} onClick={onClose}>
          <CloseIcon fontSize="small" />
        </IconButton>
      </Stack>
      {children}
    </Drawer>
  );
}
