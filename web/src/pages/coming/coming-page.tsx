import Button from '@mui/material/Button';
import { useTranslation } from 'react-i18next';
import { Link, useMatches } from 'react-router-dom';
import { useSay } from '../../app/i18n/text-keys.js';
import type { PageRow } from '../../app/page-list.js';
import { MessageState } from '../../components/states.js';

/** Stands in for a page that is still being built. */
export function ComingPage() {
  const { t } = useTranslation();
  const say = useSay();
  const row = useMatches().at(-1)?.handle as PageRow | undefined;
  return (
    <MessageState
      heading
      title={t('state.comingTitle')}
      body={t('state.comingBody', { page: row ? say(row.titleKey) : '' })}
    >
      <Button component={Link} to="/" variant="contained">
        {t('action.home')}
      </Button>
    </MessageState>
  );
}
