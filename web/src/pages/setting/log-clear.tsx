import Stack from '@mui/material/Stack';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ApiError } from '../../api/api-error.js';
import { describeError, inWords } from '../../api/api-error.js';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch } from '../../app/store.js';
import { BusyButton } from '../../components/basics/busy-button.js';
import { Field } from '../../components/forms/field.js';
import { formatTime, monthBefore, parseTime, zoneName } from '../../components/basics/time-format.js';
import { useConfirm } from '../../components/overlays/use-confirm.js';
import { useClearLogsMutation, useLazyCountLogsQuery } from '../../api/log.api.js';

const DATE_LENGTH = '2026-01-31'.length;

/** The default, by the specification: rows older than a month. */
const monthAgo = (): string => formatTime(monthBefore(Math.floor(Date.now() / 1000)));

/** Deletes old log rows for good, after the user has typed the date before which they are. Balances and the journal are not affected. */
export function LogClear() {
  const { t } = useTranslation('setting');
  const dispatch = useAppDispatch();
  const { confirm, dialog } = useConfirm();
  const [before, setBefore] = useState(monthAgo);
  const [refused, setRefused] = useState(false);
  const [count, { isFetching }] = useLazyCountLogsQuery();
  const [clearLogs] = useClearLogsMutation();

  const run = async (at: number) => {
    const reply = await clearLogs(at);
    if (reply.error) throw inWords(t('log.failed', { reason: describeError(reply.error) }), reply.error);
    dispatch(toastShown({ severity: 'success', key: 'setting:log.cleared', params: { count: reply.data } }));
  };
  const ask = async () => {
    const at = parseTime(before);
    setRefused(at === undefined);
    if (at === undefined) return;
    const { data: found, error } = await count({ all: true, query: { end_timestamp: at - 1 } });
    if (found === undefined) {
      dispatch(toastShown({ severity: 'error', error: error as ApiError }));
      return;
    }
    const { total, inexact } = found;
    if (total === 0) {
      dispatch(toastShown({ severity: 'info', key: 'setting:log.nothing' }));
      return;
    }
    confirm({
      title: t('log.title', { time: formatTime(at) }),
      consequences: [
        inexact ? t(`log.${inexact}`, { rows: total }) : t('log.count', { count: total }),
        t('log.stays'),
        t('confirm.irreversible'),
      ],
      typed: formatTime(at).slice(0, DATE_LENGTH),
      confirm: { label: t('log.action'), danger: true },
      run: () => run(at),
    });
  };
  return (
    <Stack direction="row" spacing={1} sx={{ alignItems: 'flex-start', flexWrap: 'wrap', rowGap: 1, pt: 1 }}>
      <Field
        label={t('log.before')}
        value={before}
        onChange={(event) => setBefore(event.target.value)}
        error={refused}
        helperText={refused ? t('log.choose') : t('log.zone', { zone: zoneName() })}
        width={280}
      />
      <BusyButton variant="outlined" color="error" busy={isFetching} onClick={() => void ask()}>
        {t('log.clear')}
      </BusyButton>
      {dialog}
    </Stack>
  );
}
