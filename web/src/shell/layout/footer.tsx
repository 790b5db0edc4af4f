import Box from '@mui/material/Box';
import { Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { DEFAULT_SYSTEM_NAME, selectStatus } from '../../app/slices/status.js';
import { useAppSelector } from '../../app/store.js';
import { lazyPart } from '../../components/basics/lazy-part.js';

// The sanitiser is loaded only if the operator's footer contains HTML.
const OperatorHtml = lazyPart(async () => (await import('../../components/texts/operator-html.js')).OperatorHtml);

/** The operator's footer on every page, and the credit line on public pages. */
export function Footer({ publicPage }: { publicPage: boolean }) {
  const { t } = useTranslation();
  const { footer_html: html, version = '', system_name: name } = useAppSelector(selectStatus);
  if (!html && !publicPage) return null;
  return (
    <Box
      component="footer"
      sx={{
        minHeight: 32,
        px: 3,
        py: publicPage ? 2 : 0.5,
        textAlign: 'center',
        color: 'text.tertiary',
        overflowWrap: 'anywhere',
        typography: 'caption',
        '& p': { m: 0 },
      }}
    >
      {html ? (
        <Suspense fallback={null}>
          <OperatorHtml html={html} />
        </Suspense>
      ) : (
        `${t('shell.footer', { name: name || DEFAULT_SYSTEM_NAME, version })} · ${t('shell.credit')}`
      )}
    </Box>
  );
}
