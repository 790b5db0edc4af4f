import MoreIcon from '@mui/icons-material/MoreHoriz';
import CircularProgress from '@mui/material/CircularProgress';
import IconButton from '@mui/material/IconButton';
import Stack from '@mui/material/Stack';
import { useTranslation } from 'react-i18next';
import { BusyButton } from '../basics/busy-button.js';
import { MenuButton } from '../overlays/menu-button.js';
import type { RowAction } from './table-types.js';
import { useDeniable } from '../basics/use-deniable.js';

function ActionButton({ action }: { action: RowAction }) {
  const { label, icon, run, disabledReason, busy } = action;
  const deniable = useDeniable();
  if (icon) {
    return (
      <IconButton
        {...deniable(disabledReason, busy ? undefined : run)}
        // Not `loading`, which disables the button, so that it loses the focus.
        aria-busy={busy || undefined}
        aria-disabled={busy || disabledReason !== undefined || undefined}
        size="small"
        aria-label={label}
        title={disabledReason ?? label}
        sx={{ opacity: disabledReason ? 0.5 : 1 }}
      >
        {busy ? <CircularProgress aria-hidden size={16} color="inherit" /> : icon}
      </IconButton>
    );
  }
  return (
    <BusyButton
      busy={busy}
      {...deniable(disabledReason, run)}
      size="small"
      sx={{ minHeight: 28, px: 1, fontSize: '0.8125rem', opacity: disabledReason ? 0.5 : 1 }}
    >
      {label}
    </BusyButton>
  );
}

/** At most two buttons, the other actions in the menu behind ⋯; the same order in all tables. */
export function RowActions({ actions, visible = 2 }: { actions: RowAction[]; visible?: number }) {
  const { t } = useTranslation();
  const rest = actions.slice(visible).map(({ words, ...action }) => ({ ...action, label: words ?? action.label }));
  return (
    <Stack direction="row" sx={{ alignItems: 'center', justifyContent: 'flex-end' }}>
      {actions.slice(0, visible).map((action) => (
        <ActionButton key={action.id} action={action} />
      ))}
      {rest.length > 0 && (
        <MenuButton label={t('action.more')} icon={<MoreIcon sx={{ fontSize: 18 }} />} entries={rest} />
      )}
    </Stack>
  );
}
