import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import type { Delivery } from '@tollgate/contracts/api/delivery';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useListDeliveriesQuery } from '../api/delivery.api.js';
import { knownKey, useSay } from '../app/i18n/text-keys.js';
import { Placeholder } from './busy.js';
import { DeniableButton } from './deniable-button.js';
import { ErrorState } from './states.js';
import { Tag } from './tag.js';
import { TimeText } from './time-text.js';

const SIZE = 10;
const colours = { waiting: 'blue', sent: 'green', failed: 'red' } as const;
const filters = ['', 'waiting', 'sent', 'failed'] as const;

function Row({ delivery, showsUser }: { delivery: Delivery; showsUser: boolean }) {
  const { t } = useTranslation();
  const say = useSay();
  const { kind, via, target, status, reason, user_id: userId } = delivery;
  return (
    <Box component="li" sx={{ py: 0.75, borderBottom: 1, borderColor: 'border.subtle' }}>
      <Typography variant="body2" sx={{ overflowWrap: 'anywhere' }}>
        <Tag color={colours[status]}>{t(`delivery.${status}`)}</Tag>{' '}
        {say(knownKey(`delivery.kind.${kind}`), { defaultValue: kind })} · {t(`delivery.${via}`)} {target}
        {showsUser && userId > 0 && ` · ${t('delivery.user', { id: userId })}`}
      </Typography>
      <Typography variant="caption" component="p" sx={{ color: 'text.secondary', overflowWrap: 'anywhere' }}>
        <TimeText at={delivery.created_at} /> · {t('delivery.attempts', { count: delivery.attempts })}
        {reason !== '' && ` · ${reason}`}
        {delivery.next_attempt_at > 0 && (
          <>
            {' · '}
            {t('delivery.next')} <TimeText at={delivery.next_attempt_at} />
          </>
        )}
      </Typography>
    </Box>
  );
}

/** Mails and webhooks with what became of them: one's own, or those of everybody for administrators. */
export function DeliveryList({ everybody = false }: { everybody?: boolean }) {
  const { t } = useTranslation();
  const [status, setStatus] = useState<(typeof filters)[number]>('');
  const [page, setPage] = useState(1);
  const { data, error, refetch } = useListDeliveriesQuery({ everybody, status, page, size: SIZE });
  const last = Math.max(1, Math.ceil((data?.total ?? 0) / SIZE));
  return (
    <Stack spacing={1} sx={{ alignItems: 'flex-start' }}>
      <Box role="group" aria-label={t('delivery.filter')} sx={{ display: 'flex', gap: 0.5, flexWrap: 'wrap' }}>
        {filters.map((value) => (
          <Button
            key={value}
            size="small"
            variant={status === value ? 'outlined' : 'text'}
            aria-pressed={status === value}
            onClick={() => {
              setStatus(value);
              setPage(1);
            }}
          >
            {t(value === '' ? 'delivery.all' : `delivery.${value}`)}
          </Button>
        ))}
      </Box>
      {error ? <ErrorState error={error} retry={() => void refetch()} /> : !data && <Placeholder />}
      {data?.items.length === 0 && (
        <Typography variant="body2" sx={{ color: 'text.secondary' }}>
          {t('delivery.none')}
        </Typography>
      )}
      {data && data.items.length > 0 && (
        <Box component="ul" sx={{ listStyle: 'none', m: 0, p: 0, width: '100%' }}>
          {data.items.map((delivery) => (
            <Row key={delivery.id} delivery={delivery} showsUser={everybody} />
          ))}
        </Box>
      )}
      {last > 1 && (
        <Box sx={{ display: 'flex', alignItems: 'center', gap: 1 }}>
          <DeniableButton
            size="small"
            denied={page <= 1 ? t('table.atFirst') : undefined}
            onClick={() => setPage(page - 1)}
          >
            {t('delivery.newer')}
          </DeniableButton>
          <Typography variant="caption">{t('delivery.page', { page, last })}</Typography>
          <DeniableButton
            size="small"
            denied={page >= last ? t('table.atLast') : undefined}
            onClick={() => setPage(page + 1)}
          >
            {t('delivery.older')}
          </DeniableButton>
        </Box>
      )}
    </Stack>
  );
}
