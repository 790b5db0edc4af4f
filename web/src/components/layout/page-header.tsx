import MoreIcon from '@mui/icons-material/MoreHoriz';
import RefreshIcon from '@mui/icons-material/Refresh';
import Box from '@mui/material/Box';
import IconButton from '@mui/material/IconButton';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { BusyButton } from '../basics/busy-button.js';
import { selectLiveLost } from '../../app/slices/live.js';
import { useAppSelector } from '../../app/store.js';
import { MenuButton } from '../overlays/menu-button.js';
import { useDeniable } from '../basics/use-deniable.js';
import { useMobile } from '../basics/use-media.js';

export interface Action {
  id: string;
  label: string;
  icon?: ReactNode;
  run: () => void;
  disabledReason?: string;
  /** The action is running. */
  busy?: boolean;
  /** What the user should know before pressing the button. */
  hint?: string;
  danger?: boolean;
}

interface PageHeaderProps {
  title: string;
  purpose?: string;
  primary?: Action;
  /** The first ones are buttons, the others are in the menu behind ⋯. */
  secondary?: Action[];
  visibleSecondary?: 0 | 1 | 2;
  /** `news`: a notice about changes that the rows shown do not include. */
  freshness?: { at?: number; refetch: () => unknown; news?: ReactNode };
  children?: ReactNode;
}

function ActionButton({ action, variant }: { action: Action; variant: 'contained' | 'outlined' }) {
  const { disabledReason, busy, hint, icon, label, run } = action;
  const deniable = useDeniable();
  return (
    <BusyButton
      variant={variant}
      startIcon={icon}
      busy={busy}
      {...deniable(disabledReason, run)}
      title={disabledReason ?? hint}
      sx={{ opacity: disabledReason ? 0.6 : 1, flexShrink: 0 }}
    >
      {label}
    </BusyButton>
  );
}

function Freshness({ at, refetch, news }: NonNullable<PageHeaderProps['freshness']>) {
  const { t } = useTranslation();
  const lost = useAppSelector(selectLiveLost);
  const mobile = useMobile();
  const time = at ? new Date(at).toLocaleTimeString('en-GB') : undefined;
  const words = time && t(lost ? 'state.asOf' : 'state.updatedAt', { time });
  return (
    <Stack
      direction="row"
      spacing={0.5}
      sx={{
        alignItems: 'center',
        color: 'text.tertiary',
        // A phone has room for only one of the two.
        '&:has([data-news]) > .MuiTypography-caption': { display: { xs: 'none', sm: 'inline' } },
      }}
    >
      {news}
      {words && (
        <Typography variant="caption" title={words} sx={{ color: lost ? 'warning.main' : undefined }}>
          {mobile && !lost ? time : words}
        </Typography>
      )}
      <IconButton
        size="small"
        aria-label={t('action.refresh')}
        title={t('action.refresh')}
        onClick={() => void refetch()}
      >
        <RefreshIcon sx={{ fontSize: 18 }} />
      </IconButton>
    </Stack>
  );
}

function Heading({ title, purpose }: Pick<PageHeaderProps, 'title' | 'purpose'>) {
  return (
    <Box sx={{ flex: { xs: '1 1 140px', sm: '1 1 280px' }, minWidth: 0 }}>
      <Typography variant="h5" component="h1" tabIndex={-1} id="page-title">
        {title}
      </Typography>
      {purpose && (
        <Typography
          variant="body2"
          sx={{ color: 'text.secondary', maxWidth: '80ch', textWrap: 'pretty', display: { xs: 'none', sm: 'block' } }}
        >
          {purpose}
        </Typography>
      )}
    </Box>
  );
}

/** The head of a page. On a phone the primary action has a line of its own and the others are behind ⋯. */
export function PageHeader(props: PageHeaderProps) {
  const { title, purpose, primary, secondary = [], visibleSecondary = 2, freshness, children } = props;
  const { t } = useTranslation();
  const mobile = useMobile();
  const shown = mobile ? [] : secondary.slice(0, visibleSecondary);
  const rest = secondary.slice(shown.length);
  return (
    <Box component="header" sx={{ mb: { xs: 1, sm: 2 }, flexShrink: 0 }}>
      <Stack direction="row" sx={{ flexWrap: 'wrap', alignItems: 'center', columnGap: 1, rowGap: 1 }}>
        <Heading title={title} purpose={purpose} />
        {/* Side by side or below the title, but always together. */}
        <Box sx={{ display: { xs: 'contents', sm: 'flex' }, flexWrap: 'wrap', alignItems: 'center', gap: 1 }}>
          {freshness && <Freshness {...freshness} />}
          {shown.map((action) => (
            <ActionButton key={action.id} action={action} variant="outlined" />
          ))}
          {rest.length > 0 && <MenuButton label={t('action.more')} icon={<MoreIcon />} entries={rest} />}
          {primary && (
            <Box sx={{ display: 'grid', width: { xs: '100%', sm: 'auto' } }}>
              <ActionButton action={primary} variant="contained" />
            </Box>
          )}
        </Box>
      </Stack>
      {children}
    </Box>
  );
}
