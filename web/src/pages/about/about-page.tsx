import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { isAdmin } from '@tollgate/contracts/roles';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { selectRole } from '../../app/slices/session.js';
import { DEFAULT_SYSTEM_NAME, selectStatus } from '../../app/slices/status.js';
import { useAppSelector } from '../../app/store.js';
import { Placeholder } from '../../components/feedback/busy.js';
import { OperatorFrame, RichText, isAddress } from '../../components/texts/rich-text.js';
import { ErrorState } from '../../components/feedback/states.js';
import { useOperatorText } from '../../components/texts/use-operator-text.js';
import { useGetAboutQuery } from '../../api/content.api.js';

/** Shown when the operator has written no text for this page. */
function Plain() {
  const { t } = useTranslation('about');
  const admin = isAdmin(useAppSelector(selectRole));
  const { system_name: name, version = '' } = useAppSelector(selectStatus);
  return (
    <>
      <Typography>{t('product', { name: name || DEFAULT_SYSTEM_NAME, version })}</Typography>
      <Typography sx={{ color: 'text.secondary', mt: 1 }}>{t('hint')}</Typography>
      {admin && (
        <Button component={Link} to="/setting?tab=other" variant="outlined" sx={{ mt: 2 }}>
          {t('write')}
        </Button>
      )}
    </>
  );
}

export function AboutPage() {
  const { t } = useTranslation('about');
  const query = useGetAboutQuery();
  const { error, isLoading, refetch } = query;
  const text = useOperatorText('about', query);
  const framed = isAddress(text);
  return (
    <Box sx={{ width: '100%', maxWidth: framed ? undefined : 800, mx: 'auto' }}>
      <Typography variant="h5" component="h1" tabIndex={-1} sx={{ mb: 2 }}>
        {t('title')}
      </Typography>
      {error && <ErrorState title={t('loadFailed')} error={error} retry={() => void refetch()} />}
      {isLoading && text === '' && <Placeholder sx={{ height: 160 }} />}
      {text !== '' && (framed ? <OperatorFrame address={text} title={t('title')} /> : <RichText text={text} />)}
      {!isLoading && !error && text === '' && <Plain />}
    </Box>
  );
}
