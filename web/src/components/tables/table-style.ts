import { styled } from '@mui/material/styles';
import type { Density } from '../../app/slices/preferences.js';

export const ROW_HEIGHT: Record<Density, number> = { compact: 36, standard: 44, roomy: 52 };

/** The style of all tables: plain markup; head, first column and actions stay in view; one line per cell. */
export const TableFrame = styled('div')({
  position: 'relative',
  flex: 1,
  minHeight: 0,
  display: 'flex',
  flexDirection: 'column',
  backgroundColor: 'var(--tg-palette-background-paper)',
  border: '1px solid var(--tg-palette-border-subtle)',
  borderRadius: 8,
  overflow: 'hidden',
  '&[hidden]': { display: 'none' },
  // The container whose width the columns share (`cqi`).
  '& .scroll': {
    flex: 1,
    minHeight: 0,
    overflow: 'auto',
    overscrollBehaviorX: 'contain',
    containerType: 'inline-size',
  },
  '& table': { width: '100%', borderCollapse: 'separate', borderSpacing: 0, tableLayout: 'fixed' },
  '& th, & td': {
    padding: '0 var(--cell-padding, 12px)',
    textAlign: 'left',
    fontSize: '0.8125rem',
    lineHeight: '1.25rem',
    whiteSpace: 'nowrap',
    overflow: 'hidden',
    textOverflow: 'ellipsis',
    borderBottom: '1px solid var(--tg-palette-border-subtle)',
    backgroundColor: 'var(--row-ground, var(--tg-palette-background-paper))',
  },
  '& tbody th': { fontWeight: 400 },
  '& thead th': {
    height: 36,
    position: 'sticky',
    top: 0,
    zIndex: 2,
    fontWeight: 600,
    color: 'var(--tg-palette-text-secondary)',
    backgroundColor: 'var(--tg-palette-background-sunken)',
  },
  '& tbody tr': { height: 'var(--row-height)' },
  '& tbody tr:hover': { '--row-ground': 'var(--tg-palette-row-hover)' },
  '& tbody tr[data-tone="disabled"]': {
    '--row-ground': 'var(--tg-palette-row-disabled)',
    color: 'var(--tg-palette-text-secondary)',
  },
  '& tbody tr[aria-selected="true"]': { '--row-ground': 'var(--tg-palette-row-selected)' },
  '& tbody tr:focus-visible': { outline: '2px solid var(--tg-palette-focus)', outlineOffset: -2, borderRadius: 0 },
  '& [data-row] a, & table table a': { textDecoration: 'none' },
  '& [data-row] a:hover, & table table a:hover': { textDecoration: 'underline' },
  // The link itself is clipped: an overflowing box would extend below the neighbouring cells and distort measurements of touch targets.
  '& :is(th, td) > a': {
    display: 'inline-block',
    maxWidth: '100%',
    overflow: 'hidden',
    textOverflow: 'ellipsis',
    verticalAlign: 'bottom',
  },
  // A tooltip needs a pointer: with the keyboard, the whole of a clipped name lies over the cells beside it.
  '& tbody :is(th, td):has(> :is(a, button):focus-visible)': { overflow: 'visible' },
  '& tbody :is(th, td) > :is(a, button):focus-visible': { position: 'relative', zIndex: 1, maxWidth: 'none' },
  '& tbody :is(th, td) > a:focus-visible': { backgroundColor: 'var(--row-ground, var(--tg-palette-background-paper))' },
  '& .right': { textAlign: 'right' },
  '& .check': { width: 44, padding: '0 4px 0 8px' },
  '& .chevron': { width: 40, padding: '0 0 0 8px' },
  '& .actions': { position: 'sticky', right: 0, zIndex: 1, padding: '0 8px', textAlign: 'right' },
  '& thead th.actions': { zIndex: 3 },
  '& .scrolled .actions': { boxShadow: '-1px 0 0 var(--tg-palette-border-subtle)' },
  '& .first': { position: 'sticky', left: 'var(--first-left, 0)', zIndex: 1 },
  '& thead th.first': { zIndex: 3 },
  '& .scrolled .first': { boxShadow: '1px 0 0 var(--tg-palette-border-subtle)' },
  '& td.detail': {
    whiteSpace: 'normal',
    height: 'auto',
    padding: '12px 16px',
    backgroundColor: 'var(--tg-palette-background-sunken)',
  },
  '& tbody tr.flash td': { animation: 'tg-flash 1.2s ease-out' },
  '@keyframes tg-flash': { from: { backgroundColor: 'var(--tg-palette-primary-soft)' } },
  '@media (prefers-reduced-motion: reduce)': { '& tbody tr.flash td': { animation: 'none' } },
});
