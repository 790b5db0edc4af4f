import Box from '@mui/material/Box';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'react-router-dom';
import { framedWhenForced } from '../../components/basics/forced-colors.js';

export const isCurrent = (pathname: string, to: string): boolean =>
  pathname === to || (to !== '/' && pathname.startsWith(`${to}/`));

interface NavLinkProps {
  to: string;
  external?: boolean;
  icon?: ReactNode;
  /** Icons only; the text stays for readers and as a hint. */
  collapsed?: boolean;
  layout: 'bar' | 'side';
  /** Below another item, whose icon it has not. */
  indent?: boolean;
  onNavigate?: () => void;
  /** Of the text, where it is not the console's; empty for words of an operator. */
  lang?: string;
  /** How many things wait behind it; 0 shows nothing. */
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
  // The bold words of the current page still stand on one line.
  pr: 0.5,
  mx: 1,
  minHeight: 36,
  // Long words stand on two lines; the gap stays.
  '& > span': { whiteSpace: 'normal', overflowWrap: 'anywhere', minWidth: 0, lineHeight: 1.3 },
  '@media (pointer: coarse)': { minHeight: 44 },
  '&[aria-current]': { ...common['&[aria-current]'], bgcolor: 'primary.soft' },
  '&[aria-current]::before': {
    content: '""',
    position: 'absolute',
    left: -8,
    top: 6,
    bottom: 6,
    // A line, because grounds are gone where the reader's own colours hold.
    borderLeft: '3px solid',
    borderColor: 'primary.main',
  },
} as const;

/** Below its heading an item stands where the heading's text does. */
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
  const { pathname } = useLocation();
  const current = !external && isCurrent(pathname, to);
  const target = external
    ? { component: 'a', href: to, target: '_blank', rel: 'noopener noreferrer' }
    : { component: Link, to };
  return (
    <Box
      {...target}
      aria-current={current ? 'page' : undefined}
      aria-label={collapsed ? children : undefined}
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
