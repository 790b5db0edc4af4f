import MoreIcon from '@mui/icons-material/MoreHoriz';
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import Stack from '@mui/material/Stack';
import { useTranslation } from 'react-i18next';
import { MenuButton } from '../overlays/menu-button.js';
import type { RowAction } from './table-types.js';
import { useDeniable } from '../basics/use-deniable.js';

function ActionButton({ action }: { action: RowAction }) {
  const { label, icon, run, disabledReason, busy } = action;
  const deniable = useDeniable();
  const shared = { ...deniable(disabledReason, run), loading: busy };
  if (icon) {
    return (
      <IconButton
        {...shared}
        size="small"
        aria-label={label}
        title={disabledReason ?? label}
        sx={{ opacity: disabledReason ? 0.5 : 1 }}
      >
        {icon}
      </IconButton>
    );
  }
  return (
    <Button
      {...shared}
      size="small"
      sx={{ minHeight: 28, px: 1, fontSize: '0.8125rem', opacity: disabledReason ? 0.5 : 1 }}
    >
      {label}
    </Button>
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
