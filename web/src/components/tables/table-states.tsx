import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Placeholder } from '../feedback/busy.js';
import { MessageState } from '../feedback/states.js';
import type { EmptyState } from './table-types.js';

const PATIENCE_MS = 150;

/** `false` for a moment, so that the skeleton does not flicker if the reply is fast. */
function usePatience(): boolean {
  const [over, setOver] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setOver(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, []);
  return over;
}

export function TableSkeleton({ rows, height }: { rows: number; height: number }) {
  const shown = usePatience();
  const { t } = useTranslation();
  if (!shown) return <Box sx={{ minHeight: rows * height }} />;
  return (
    <Box role="status" aria-label={t('shell.loading')}>
      {Array.from({ length: rows }, (_, index) => (
        <Box
          key={index}
          sx={{
            height,
            px: 1.5,
            display: 'flex',
            alignItems: 'center',
            borderBottom: '1px solid',
            borderColor: 'border.subtle',
          }}
        >
          <Placeholder style={{ width: `${60 + ((index * 17) % 35)}%` }} />
        </Box>
      ))}
    </Box>
  );
}

export function TableEmpty({ empty }: { empty: EmptyState }) {
  return (
    <MessageState state="empty" title={empty.title} body={empty.body}>
      {empty.action && (
        <Button variant="contained" onClick={empty.action.run}>
          {empty.action.label}
        </Button>
      )}
    </MessageState>
  );
}

interface TableNoMatchProps {
  filters: readonly string[];
  hint?: string;
  onClear: () => void;
}

export function TableNoMatch({ filters, hint, onClear }: TableNoMatchProps) {
  const { t } = useTranslation();
  const title = t('state.noMatch', { filters: filters.join(t('table.separator')) });
  return (
    <MessageState state="no-match" title={title} body={hint}>
      <Button variant="outlined" onClick={onClear}>
        {t('action.clearFilters')}
      </Button>
    </MessageState>
  );
}
