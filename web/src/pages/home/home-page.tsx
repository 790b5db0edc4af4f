import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { selectUser } from '../../app/slices/session.js';
import { DEFAULT_SYSTEM_NAME, selectStatus } from '../../app/slices/status.js';
import { useAppSelector } from '../../app/store.js';
import { OperatorFrame, RichText, isAddress } from '../../components/texts/rich-text.js';
import { ErrorState } from '../../components/feedback/states.js';
import { useOperatorText } from '../../components/texts/use-operator-text.js';
import { BalanceCard } from './balance-card.js';
import { FirstSteps } from './first-steps.js';
import { useGetHomeContentQuery } from '../../api/content.api.js';
import { Notice } from './notice.js';
import { SystemCards } from './system-cards.js';

function OperatorContent() {
  const { t } = useTranslation('home');
  const query = useGetHomeContentQuery();
  const { error, isFetching, refetch } = query;
  const text = useOperatorText('home_page_content', query);
  if (error) return <ErrorState title={t('loadFailed')} error={error} retry={() => void refetch()} />;
  if (text === '') return isFetching ? null : <SystemCards />;
  if (!isAddress(text)) return <RichText text={text} />;
  return <OperatorFrame address={text} title={t('content')} />;
}

function Welcome() {
  const { t } = useTranslation('home');
  const { system_name: name } = useAppSelector(selectStatus);
  return (
    <Box sx={{ py: { xs: 3, sm: 6 } }}>
      <Typography component="h1" tabIndex={-1} sx={{ fontSize: { xs: 28, sm: 36 }, lineHeight: 1.3, fontWeight: 600 }}>
        {name || DEFAULT_SYSTEM_NAME}
      </Typography>
      <Typography sx={{ color: 'text.secondary', mt: 1, mb: 3, maxWidth: '80ch', textWrap: 'pretty' }}>
        {t('tagline')}
      </Typography>
      <Stack direction="row" spacing={1}>
        <Button component={Link} to="/login" variant="contained" size="large">
          {t('nav.login')}
        </Button>
        <Button component={Link} to="/pricing" variant="outlined" size="large">
          {t('nav.pricing')}
        </Button>
      </Stack>
    </Box>
  );
}

function Overview({ name }: { name: string }) {
  const { t } = useTranslation('home');
  return (
    <>
      <Typography variant="h5" component="h1" tabIndex={-1} sx={{ overflowWrap: 'anywhere' }}>
        {t('hello', { name })}
      </Typography>
      <BalanceCard />
      <FirstSteps />
    </>
  );
}

/** The operator's notice and home page text for everybody; for signed-in users also the balance and the first steps. */
export function HomePage() {
  const user = useAppSelector(selectUser);
  return (
    <Stack spacing={2} sx={{ width: '100%', maxWidth: 1080, mx: 'auto', px: { xs: 1.5, sm: 3 }, py: 3 }}>
      <Notice />
      {user ? <Overview name={user.display_name || user.username} /> : <Welcome />}
      <OperatorContent />
    </Stack>
  );
}
