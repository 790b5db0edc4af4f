import Box from '@mui/material/Box';
import type { ReactNode } from 'react';

/**
 * Pixels per column. Where the table has less, each row becomes a card with the column heads beside its values; in print it stays a table.
 */
const COLUMN_PX = 88;

const framed = {
  containerType: 'inline-size',
  overflow: 'auto',
  '& table': { width: '100%', borderCollapse: 'collapse', typography: 'body2' },
  '& th, & td': {
    textAlign: 'right',
    verticalAlign: 'top',
    px: 1,
    py: 0.75,
    borderBottom: 1,
    borderColor: 'border.subtle',
    whiteSpace: 'nowrap',
  },
  '& th:first-of-type, & .text': { textAlign: 'left' },
  '& tbody th:first-of-type': { fontWeight: 400 },
  '& thead th': { position: 'sticky', top: 0, bgcolor: 'background.sunken', fontWeight: 600, whiteSpace: 'normal' },
} as const;

const stacked = {
  '& table, & tbody': { display: 'block' },
  // Its texts are shown beside each value instead.
  '& thead': { display: 'none' },
  '& tbody tr': {
    display: 'grid',
    gridTemplateColumns: 'repeat(2, minmax(0, 1fr))',
    columnGap: 2,
    rowGap: 1,
    py: 1.5,
    borderBottom: 1,
    borderColor: 'border.subtle',
  },
  '& tbody th, & tbody td': { textAlign: 'left', p: 0, border: 0, whiteSpace: 'normal', overflowWrap: 'anywhere' },
  '& tbody th': { gridColumn: '1 / -1', fontWeight: 600 },
  '& tbody td:empty': { display: 'none' },
  '& tbody td[data-head]::before': {
    content: 'attr(data-head)',
    display: 'block',
    typography: 'caption',
    color: 'text.tertiary',
  },
} as const;

/** Head of a column: a string for numbers, which are right-aligned, or `words` for text, which is left-aligned. */
type PlainHead = string | { words: string };
const nameOf = (head: PlainHead | undefined): string => (typeof head === 'object' ? head.words : (head ?? ''));
const classOf = (head: PlainHead | undefined): string | undefined => (typeof head === 'object' ? 'text' : undefined);

interface PlainTableProps {
  label: string;
  head: PlainHead[];
  /** The first cell is the head of its row. */
  rows: { id: string; cells: ReactNode[] }[];
  maxHeight?: number;
}

/**
 * A small table of figures without pages, sorting or choice of columns. Its roles are explicit, because browsers drop them when CSS draws
 * rows as cards.
 */
export function PlainTable({ label, head, rows, maxHeight }: PlainTableProps) {
  const narrow = `@container (max-width: ${head.length * COLUMN_PX}px)`;
  return (
    <Box sx={{ ...framed, maxHeight }} tabIndex={0} role="region" aria-label={label}>
      <Box sx={{ '@media screen': { [narrow]: stacked } }}>
        <table role="table" aria-label={label}>
          <thead role="rowgroup">
            <tr role="row">
              {head.map((one) => (
                <th key={nameOf(one)} scope="col" role="columnheader" className={classOf(one)}>
                  {nameOf(one)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody role="rowgroup">
            {rows.map(({ id, cells: [name, ...cells] }) => (
              <tr key={id} role="row">
                <th scope="row" role="rowheader">
                  {name}
                </th>
                {cells.map((cell, index) => {
                  const one = head[index + 1];
                  return (
                    <td key={nameOf(one)} role="cell" className={classOf(one)} data-head={nameOf(one) || undefined}>
                      {cell}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </Box>
    </Box>
  );
}
