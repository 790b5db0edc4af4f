import Box from '@mui/material/Box';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'react-router-dom';
import { framedWhenForced } from '../../components/basics/forced-colors.js';

const isCurrent = (pathname: string, to: string): boolean =>
  pathname === to || (to !== '/' && pathname.startsWith(`${to}/`));

interface NavLinkProps {
  to: string;
  external?: boolean;
  icon?: ReactNode;
  /** Shows only the icon; the text is for screen readers and the tooltip. */
  collapsed?: boolean;
  layout: 'bar' | 'side';
  /** A sub-item, without an icon. */
  indent?: boolean;
  onNavigate?: () => void;
  /** Language of the text, if it is not the console's; empty (unknown) for an operator's text. */
  lang?: string;
  /** Number of waiting things; 0 shows no badge. */
  badge?: number;
  children: string;
}

const common = {
  display: 'flex',
  alignItems: 'center',
  color: 'text.secondary',
  textDecoration: 'none',
  whiteSpace: 'nowrap',
  borderRadius: '6px',
  '&:hover': { bgcolor: 'row.hover', color: 'text.primary' },
  '&[aria-current]': { color: 'primary.main', fontWeight: 600 },
} as const;
const bar = { ...common, px: 1, minHeight: 32 } as const;
export const sideItem = {
  ...common,
  position: 'relative',
  gap: 1.5,
  pl: 1.5,
  // Leaves room for the bold text of the current page on one line.
  pr: 0.5,
  mx: 1,
  minHeight: 36,
  // Long texts take two lines; the gap stays.
  '& > span': { whiteSpace: 'normal', overflowWrap: 'anywhere', minWidth: 0, lineHeight: 1.3 },
  '@media (pointer: coarse)': { minHeight: 44 },
  '&[aria-current]': { ...common['&[aria-current]'], bgcolor: 'primary.soft' },
  '&[aria-current]::before': {
    content: '""',
    position: 'absolute',
    left: -8,
    top: 6,
    bottom: 6,
    // A border, because forced colours remove backgrounds.
    borderLeft: '3px solid',
    borderColor: 'primary.main',
  },
} as const;

/** A sub-item is aligned with the text of the item above. */
function styleOf(layout: NavLinkProps['layout'], collapsed = false, indent = false) {
  if (layout === 'bar') return bar;
  if (collapsed) return { ...sideItem, justifyContent: 'center', px: 0 };
  return indent ? { ...sideItem, pl: 5.5, whiteSpace: 'normal', overflowWrap: 'anywhere' } : sideItem;
}

function Badge({ count, collapsed }: { count: number; collapsed?: boolean }) {
  return (
    <Box
      component="span"
      sx={{
        ...(collapsed ? { position: 'absolute', top: 2, right: 2 } : { ml: 'auto' }),
        minWidth: 20,
        px: 0.75,
        borderRadius: '10px',
        textAlign: 'center',
        fontSize: '0.75rem',
        fontWeight: 600,
        lineHeight: '20px',
        color: 'warning.main',
        bgcolor: 'warning.soft',
        ...framedWhenForced,
      }}
    >
      {count > 99 ? '99+' : count}
    </Box>
  );
}

export function NavLink(props: NavLinkProps) {
  const { to, external, icon, collapsed, layout, indent, lang, onNavigate, badge = 0, children } = props;
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const current = !external && isCurrent(pathname, to);
  const target = external
    ? { component: 'a', href: to, target: '_blank', rel: 'noopener noreferrer' }
    : { component: Link, to };
  return (
    <Box
      {...target}
      aria-current={current ? 'page' : undefined}
      aria-label={badge > 0 ? t('shell.waiting', { name: children, count: badge }) : collapsed ? children : undefined}
      title={collapsed ? children : undefined}
      onClick={onNavigate}
      sx={styleOf(layout, collapsed, indent)}
    >
      {icon}
      {!collapsed && <span lang={lang}>{children}</span>}
      {badge > 0 && <Badge count={badge} collapsed={collapsed} />}
    </Box>
  );
}
