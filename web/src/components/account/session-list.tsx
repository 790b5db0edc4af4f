import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import type { SignIn } from '@tollgate/contracts/api/session';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useFocusKept } from '../tables/use-focus-kept.js';
import { Tag } from '../texts/tag.js';
import { TimeText } from '../texts/time-text.js';

const PROGRAMS = ['Edg', 'OPR', 'Firefox', 'Chrome', 'Safari'] as const;
const SYSTEMS = ['Windows', 'Android', 'iPhone', 'iPad', 'Mac OS', 'Linux'] as const;

/** Browser and operating system, for a person to recognise. */
function deviceOf(agent: string): string {
  const found = [PROGRAMS, SYSTEMS].map((names) => names.find((name) => agent.includes(name)));
  const named = found.filter((name) => name !== undefined).join(' · ');
  return named || agent.split('/')[0] || '';
}

interface RowProps {
  session: SignIn;
  onEnd: (id: number) => void;
}

function Row({ session, onEnd }: RowProps) {
  const { t } = useTranslation();
  const device = deviceOf(session.user_agent) || t('sessions.unknown');
  return (
    <Box
      component="li"
      data-row={session.id}
      tabIndex={-1}
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

interface SessionListProps {
  sessions: readonly SignIn[];
  onEnd: (id: number) => void;
  /** The button that ends several sessions, below the list. */
  children?: ReactNode;
}

/** The browsers in which a user is signed in. */
export function SessionList({ sessions, onEnd, children }: SessionListProps) {
  return (
    <Stack {...useFocusKept()} tabIndex={-1} spacing={1.5} sx={{ alignItems: 'flex-start' }}>
      <Box component="ul" sx={{ listStyle: 'none', m: 0, p: 0, width: '100%' }}>
        {sessions.map((session) => (
          <Row key={session.id} session={session} onEnd={onEnd} />
        ))}
      </Box>
      {children}
    </Stack>
  );
}
