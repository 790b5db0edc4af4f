import Box from '@mui/material/Box';
import type { ReactNode } from 'react';

const style = {
  overflow: 'auto',
  '& table': { width: '100%', borderCollapse: 'collapse', typography: 'body2' },
  '& th, & td': {
    textAlign: 'right',
    px: 1,
    py: 0.5,
    borderBottom: 1,
    borderColor: 'border.subtle',
    whiteSpace: 'nowrap',
  },
  '& th:first-of-type': { textAlign: 'left', fontWeight: 400 },
  '& thead th': { position: 'sticky', top: 0, bgcolor: 'background.sunken', fontWeight: 600 },
} as const;

interface PlainTableProps {
  label: string;
  head: string[];
  /** The first cell names its row. */
  rows: { id: string; cells: ReactNode[] }[];
  maxHeight?: number;
}

/** A few numbers that need no list: no pages, no sorting, no choice of columns. */
export function PlainTable({ label, head, rows, maxHeight }: PlainTableProps) {
  return (
    <Box sx={{ ...style, maxHeight }} tabIndex={0} role="region" aria-label={label}>
      <table>
        <thead>
          <tr>
            {head.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ id, cells: [name, ...cells] }) => (
            <tr key={id}>
              <th scope="row">{name}</th>
              {cells.map((cell, index) => (
                <td key={head[index + 1]}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Box>
  );
}
