import Box from '@mui/material/Box';
import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { selectUser } from '../../app/slices/session.js';
import { DEFAULT_SYSTEM_NAME, selectStatus } from '../../app/slices/status.js';
import { useAppSelector } from '../../app/store.js';
import { formatTime, zoneName } from '../../components/basics/time-format.js';

const now = (): number => Math.floor(Date.now() / 1000);

/** Printed only: the name of the system, the user and the time. */
export function PrintHead() {
  const { t } = useTranslation();
  const { system_name: system } = useAppSelector(selectStatus);
  const user = useAppSelector(selectUser);
  const [at, setAt] = useState(now);
  useEffect(() => {
    // The browser captures the page directly after the event, so the update must be synchronous.
    const refresh = () => flushSync(() => setAt(now()));
    window.addEventListener('beforeprint', refresh);
    return () => window.removeEventListener('beforeprint', refresh);
  }, []);
  return (
    <Box className="print-only" data-print-head sx={{ typography: 'caption', mb: 2 }}>
      {t('shell.printed', {
        system: system || DEFAULT_SYSTEM_NAME,
        name: user?.username ?? t('shell.visitor'),
        time: `${formatTime(at)} ${zoneName()}`,
      })}
    </Box>
  );
}
