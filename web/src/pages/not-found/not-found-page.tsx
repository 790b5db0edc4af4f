import Button from '@mui/material/Button';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { MessageState } from '../../components/feedback/states.js';

export function NotFoundPage() {
  const { t } = useTranslation('not-found');
  return (
    <MessageState heading title={t('title')} body={t('body')}>
      <Button component={Link} to="/" variant="contained">
        {t('action.home')}
      </Button>
    </MessageState>
  );
}
