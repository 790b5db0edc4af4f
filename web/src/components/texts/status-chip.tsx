import CheckIcon from '@mui/icons-material/CheckCircleOutlined';
import DataIcon from '@mui/icons-material/DataUsage';
import DoneIcon from '@mui/icons-material/TaskAlt';
import ErrorIcon from '@mui/icons-material/ErrorOutlined';
import BlockIcon from '@mui/icons-material/Block';
import FlashIcon from '@mui/icons-material/FlashOff';
import HelpIcon from '@mui/icons-material/HelpOutlined';
import HourglassIcon from '@mui/icons-material/HourglassEmpty';
import PauseIcon from '@mui/icons-material/PauseCircleOutlined';
import ScheduleIcon from '@mui/icons-material/Schedule';
import WarningIcon from '@mui/icons-material/WarningAmber';
import Box from '@mui/material/Box';
import { useTranslation } from 'react-i18next';
import { framedWhenForced } from '../basics/forced-colors.js';

type Look = { icon: typeof CheckIcon; color: 'success' | 'warning' | 'error' | 'info' | 'grey' };

/**
 * Each status has an icon of another shape, so that it is recognised without colour. Texts are `status.<key>` of the shell's dictionary.
 */
export const looks = {
  enabled: { icon: CheckIcon, color: 'success' },
  enabledLimited: { icon: CheckIcon, color: 'success' },
  activated: { icon: CheckIcon, color: 'success' },
  success: { icon: CheckIcon, color: 'success' },
  disabled: { icon: PauseIcon, color: 'grey' },
  unused: { icon: CheckIcon, color: 'success' },
  used: { icon: DoneIcon, color: 'grey' },
  pending: { icon: HourglassIcon, color: 'info' },
  paid: { icon: CheckIcon, color: 'success' },
  refused: { icon: ErrorIcon, color: 'error' },
  refunded: { icon: DoneIcon, color: 'grey' },
  cancelled: { icon: DoneIcon, color: 'grey' },
  autoDisabled: { icon: FlashIcon, color: 'warning' },
  suspect: { icon: WarningIcon, color: 'warning' },
  expired: { icon: ScheduleIcon, color: 'warning' },
  exhausted: { icon: DataIcon, color: 'warning' },
  running: { icon: HourglassIcon, color: 'info' },
  failed: { icon: ErrorIcon, color: 'error' },
  banned: { icon: BlockIcon, color: 'error' },
  unknown: { icon: HelpIcon, color: 'grey' },
} as const satisfies Record<string, Look>;

export type StatusKey = keyof typeof looks;

interface StatusChipProps {
  status: StatusKey;
  /** The raw value, shown for an unknown status. */
  raw?: string | number;
  /** Opens the reason of the status. */
  onWhy?: () => void;
  why?: string;
}

export function StatusChip({ status, raw, onWhy, why }: StatusChipProps) {
  const { t } = useTranslation();
  const { icon: Icon, color } = looks[status];
  const ink = color === 'grey' ? 'text.secondary' : `${color}.main`;
  const ground = color === 'grey' ? 'background.sunken' : `${color}.soft`;
  return (
    <Box
      component={onWhy ? 'button' : 'span'}
      type={onWhy ? 'button' : undefined}
      onClick={onWhy}
      data-badge
      title={why ?? (status !== 'unknown' || raw === undefined ? undefined : String(raw))}
      sx={{
        display: 'inline-flex',
        alignItems: 'center',
        gap: 0.5,
        height: 24,
        maxWidth: '100%',
        px: 1,
        border: 0,
        borderRadius: '4px',
        font: 'inherit',
        fontSize: '0.75rem',
        whiteSpace: 'nowrap',
        color: ink,
        bgcolor: ground,
        cursor: onWhy ? 'pointer' : undefined,
        textDecoration: onWhy ? 'underline dotted' : undefined,
        textUnderlineOffset: 3,
        ...framedWhenForced,
      }}
    >
      <Icon sx={{ fontSize: 16, flexShrink: 0 }} aria-hidden />
      <Box component="span" sx={{ minWidth: 0, overflow: 'hidden', textOverflow: 'ellipsis' }}>
        {t(`status.${status}`)}
      </Box>
    </Box>
  );
}
