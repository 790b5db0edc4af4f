import NextIcon from '@mui/icons-material/ChevronRight';
import PreviousIcon from '@mui/icons-material/ChevronLeft';
import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { useTranslation } from 'react-i18next';
import { pageSizes } from '../../app/slices/preferences.js';
import { DeniableIcon } from '../feedback/deniable-button.js';
import type { Inexact } from '../../api/paged.js';
import { NativeField } from '../forms/native-field.js';

interface PagingProps {
  page: number;
  size: number;
  /** What the rows are of while those of `page` are not here yet, or could not be loaded. */
  shown?: { page: number; size: number };
  count: number;
  /** `undefined` if the server reports no total; "next" is then enabled as long as pages are full. */
  total: number | undefined;
  inexact?: Inexact;
  onPage: (page: number) => void;
  onSize: (size: number) => void;
}

const ranges = { exact: 'table.range', about: 'table.rangeAbout', atLeast: 'table.rangeAtLeast' } as const;

/** Which rows are shown, and of how many. */
function Range({ page, size, shown = { page, size }, count, total, inexact }: PagingProps) {
  const { t } = useTranslation();
  const start = count === 0 ? 0 : (shown.page - 1) * shown.size + 1;
  const end = count === 0 ? 0 : start + count - 1;
  return (
    <Typography
      variant="body2"
      role="status"
      sx={{ color: 'text.secondary', flex: 1, wordBreak: 'keep-all', textWrap: 'balance' }}
    >
      {total === undefined
        ? t('table.rangeOpen', { start, end })
        : t(ranges[inexact ?? 'exact'], { start, end, total })}
    </Typography>
  );
}

/** The buttons to the pages beside this one. */
function Steps({ page, size, count, total, onPage }: PagingProps) {
  const { t } = useTranslation();
  const more = total === undefined ? count === size : page * size < total;
  return (
    <>
      <DeniableIcon
        size="small"
        aria-label={t('table.previous')}
        title={t('table.previous')}
        denied={page <= 1 ? t('table.atFirst') : undefined}
        onClick={() => onPage(page - 1)}
      >
        <PreviousIcon fontSize="small" />
      </DeniableIcon>
      <Typography variant="body2" sx={{ minWidth: 24, textAlign: 'center' }}>
        {page}
      </Typography>
      <DeniableIcon
        size="small"
        aria-label={t('table.next')}
        title={t('table.next')}
        denied={more ? undefined : t('table.atLast')}
        onClick={() => onPage(page + 1)}
      >
        <NextIcon fontSize="small" />
      </DeniableIcon>
    </>
  );
}

export function TablePaging(props: PagingProps) {
  const { t } = useTranslation();
  return (
    <Box
      component="nav"
      aria-label={t('table.paging')}
      sx={{
        display: 'flex',
        alignItems: 'center',
        justifyContent: 'flex-end',
        gap: 1,
        px: 1.5,
        minHeight: 44,
        flexShrink: 0,
        borderTop: '1px solid',
        borderColor: 'border.subtle',
        mt: '-1px',
        // Above the sticky cells, which would cover its border.
        position: 'relative',
        zIndex: 4,
        bgcolor: 'background.paper',
      }}
    >
      <Range {...props} />
      <NativeField
        label={t('table.pageSize')}
        hideLabel
        value={String(props.size)}
        onChange={(value) => props.onSize(Number(value))}
        options={pageSizes.map((value) => ({ value: String(value), label: String(value) }))}
        width={76}
      />
      <Steps {...props} />
    </Box>
  );
}
