import CloseIcon from '@mui/icons-material/Close';
import ErrorIcon from '@mui/icons-material/ErrorOutlined';
import InfoIcon from '@mui/icons-material/InfoOutlined';
import SuccessIcon from '@mui/icons-material/CheckCircleOutlined';
import WarningIcon from '@mui/icons-material/WarningAmber';
import type { BoxProps } from '@mui/material/Box';
import Box from '@mui/material/Box';
import IconButton from '@mui/material/IconButton';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Severity } from '../../app/slices/toasts.js';
import { framedWhenForced } from '../basics/forced-colors.js';

const icons = { success: SuccessIcon, info: InfoIcon, warning: WarningIcon, error: ErrorIcon };

interface CalloutProps extends Omit<BoxProps, 'title'> {
  severity: Severity;
  title?: string;
  action?: ReactNode;
  onClose?: () => void;
}

/** An important message beside the icon of its severity. */
export function Callout({ severity, title, action, onClose, children, sx, ...props }: CalloutProps) {
  const { t } = useTranslation();
  const Icon = icons[severity];
  const frame = {
    display: 'flex',
    alignItems: 'flex-start',
    gap: 1,
    px: 1.5,
    py: 1,
    borderRadius: '6px',
    color: 'text.primary',
    bgcolor: `${severity}.soft`,
    typography: 'body2',
    ...framedWhenForced,
  } as const;
  return (
    <Box {...props} sx={[frame, ...(Array.isArray(sx) ? sx : [sx])]}>
      <Icon aria-hidden sx={{ fontSize: 20, color: `${severity}.main`, flexShrink: 0 }} />
      <Box className="message" sx={{ flex: 1, minWidth: 0, overflowWrap: 'anywhere' }}>
        {title && <Box sx={{ fontWeight: 600 }}>{title}</Box>}
        {children}
      </Box>
      {action}
      {onClose && (
        <IconButton size="small" aria-label={t('action.close')} onClick={onClose} sx={{ m: -0.5 }}>
          <CloseIcon sx={{ fontSize: 18 }} />
        </IconButton>
      )}
    </Box>
  );
}
