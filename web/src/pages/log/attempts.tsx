import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { LogOther } from '@tollgate/contracts/api/log';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';

type Info = NonNullable<LogOther['admin_info']>;
type Attempt = NonNullable<Info['attempts']>[number];

const classes = ['ok', 'credential', 'rate-limited', 'invalid', 'upstream', 'network', 'timeout'];

function AttemptLine({ attempt }: { attempt: Attempt }) {
  const { t } = useTranslation('log');
  const { channel_id: id, class: kind, status, error_code: code, message, duration_ms: ms } = attempt;
  const reason = classes.includes(kind) ? t(`class.${kind as 'ok'}`) : kind;
  return (
    <li>
      <Link to={`/channel/edit/${id}`}>#{id}</Link> ·{' '}
      <Box component="span" sx={{ color: kind === 'ok' ? 'success.main' : 'error.main' }}>
        {reason}
      </Box>
      {[status > 0 ? status : undefined, code, `${ms} ms`].filter(Boolean).map((part) => ` · ${part}`)}
      {message && (
        <Box sx={{ color: 'text.secondary', overflowWrap: 'anywhere' }}>{t('upstreamSaid', { message })}</Box>
      )}
    </li>
  );
}

/** The channels that were tried, in order, and why each attempt failed. */
export function Attempts({ info }: { info: Info }) {
  const { t } = useTranslation('log');
  const { use_channel: chain, named_channel: isNamed, attempts = [] } = info;
  if (chain.length === 0) return null;
  return (
    <Box>
      <Typography variant="subtitle2" component="h2">
        {t('detail.attempts')}
      </Typography>
      {attempts.length === 0 ? (
        <span>{t('chain', { count: chain.length, chain: chain.join('->') })}</span>
      ) : (
        <Box component="ol" sx={{ m: 0, pl: 2.5 }}>
          {attempts.map((attempt, index) => (
            <AttemptLine key={index} attempt={attempt} />
          ))}
        </Box>
      )}
      {isNamed && <div>{t('namedChannel')}</div>}
    </Box>
  );
}
