import Typography from '@mui/material/Typography';
import { useTranslation } from 'react-i18next';
import { useEndSessionMutation, useListSessionsQuery } from '../../api/self.api.js';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch } from '../../app/store.js';
import { BusyButton } from '../../components/basics/busy-button.js';
import { Placeholder } from '../../components/feedback/busy.js';
import { Card } from '../../components/layout/card.js';
import { SessionList } from '../../components/account/session-list.js';
import { ErrorState } from '../../components/feedback/states.js';

/** All sessions of this account, one per signed-in browser. */
export function SessionsCard() {
  const { t } = useTranslation('personal');
  const dispatch = useAppDispatch();
  const { data, error, refetch } = useListSessionsQuery();
  const [end, { isLoading }] = useEndSessionMutation();
  const others = data?.filter(({ current }) => !current) ?? [];
  const run = async (id?: number) => {
    if ((await end(id)).error) return;
    dispatch(toastShown({ severity: 'success', key: 'personal:sessions.done' }));
  };
  return (
    <Card title={t('sessions.title')}>
      {error ? <ErrorState error={error} retry={() => void refetch()} /> : !data && <Placeholder />}
      {data && (
        <SessionList sessions={data} onEnd={(id) => void run(id)}>
          {others.length === 0 ? (
            <Typography variant="body2" sx={{ color: 'text.secondary' }}>
              {t('sessions.none')}
            </Typography>
          ) : (
            <BusyButton variant="outlined" busy={isLoading} onClick={() => void run()}>
              {t('sessions.endOthers')}
            </BusyButton>
          )}
        </SessionList>
      )}
    </Card>
  );
}
