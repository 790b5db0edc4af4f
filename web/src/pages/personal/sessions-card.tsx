import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import type { SignIn } from '@tollgate/contracts/api/session';
import { useTranslation } from 'react-i18next';
import { useEndSessionMutation, useListSessionsQuery } from '../../api/self.api.js';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch } from '../../app/store.js';
import { Placeholder } from '../../components/busy.js';
import { Card } from '../../components/card.js';
import { ErrorState } from '../../components/states.js';
import { Tag } from '../../components/tag.js';
import { TimeText } from '../../components/time-text.js';

const PROGRAMS = ['Edg', 'OPR', 'Firefox', 'Chrome', 'Safari'] as const;
const SYSTEMS = ['Windows', 'Android', 'iPhone', 'iPad', 'Mac OS', 'Linux'] as const;

/** Browser and system, as far as people would name them. */
function deviceOf(agent: string): string {
  const found = [PROGRAMS, SYSTEMS].map((names) => names.find((name) => agent.includes(name)));
  const named = found.filter((name) => name !== undefined).join(' · ');
  return named || agent.split('/')[0] || '';
}

function Row({ session, onEnd }: { session: SignIn; onEnd: (id: number) => void }) {
  const { t } = useTranslation('personal');
  const device = deviceOf(session.user_agent) || t('sessions.unknown');
  return (
    <Box
      component="li"
      sx={{ display: 'flex', alignItems: 'center', gap: 1, py: 0.75, borderBottom: 1, borderColor: 'border.subtle' }}
    >
      <Box sx={{ flex: 1, minWidth: 0 }}>
        <Typography variant="body2" title={session.user_agent} sx={{ overflowWrap: 'anywhere' }}>
          {device} · {session.address} {session.current && <Tag color="green">{t('sessions.current')}</Tag>}
        </Typography>
        <Typography variant="caption" component="p" sx={{ color: 'text.secondary' }}>
          {t('sessions.since')} <TimeText at={session.created_at} /> · {t('sessions.seen')}{' '}
          <TimeText at={session.last_seen_at} mode="relative" />
        </Typography>
      </Box>
      {!session.current && (
        <Button size="small" aria-label={`${t('sessions.end')} ${device}`} onClick={() => onEnd(session.id)}>
          {t('sessions.end')}
        </Button>
      )}
    </Box>
  );
}

/** Every browser that is signed in to this account. */
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
        <Stack spacing={1.5} sx={{ alignItems: 'flex-start' }}>
          <Box component="ul" sx={{ listStyle: 'none', m: 0, p: 0, width: '100%' }}>
            {data.map((session) => (
              <Row key={session.id} session={session} onEnd={(id) => void run(id)} />
            ))}
          </Box>
          {others.length === 0 ? (
            <Typography variant="body2" sx={{ color: 'text.secondary' }}>
              {t('sessions.none')}
            </Typography>
          ) : (
            <Button variant="outlined" loading={isLoading} onClick={() => void run()}>
              {t('sessions.endOthers')}
            </Button>
          )}
        </Stack>
      )}
    </Card>
  );
}
