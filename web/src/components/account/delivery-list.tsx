import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import type { Delivery } from '@tollgate/contracts/api/delivery';
import { deliveryKinds } from '@tollgate/contracts/api/delivery-kinds';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type DeliveryRequest, useListDeliveriesQuery } from '../../api/delivery.api.js';
import { knownKey, useSay } from '../../app/i18n/text-keys.js';
import { Placeholder } from '../feedback/busy.js';
import { Field } from '../forms/field.js';
import { NativeField } from '../forms/native-field.js';
import { ErrorState } from '../feedback/states.js';
import { TablePaging } from '../tables/table-paging.js';
import { useShownPage } from '../tables/use-shown-page.js';
import { Tag } from '../texts/tag.js';
import { TimeText } from '../texts/time-text.js';

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

type Shown = Pick<DeliveryRequest, 'status' | 'kind' | 'userId'>;

interface FilterProps {
  shown: Shown;
  everybody: boolean;
  onChange: (shown: Shown) => void;
}

function Filters({ shown, everybody, onChange }: FilterProps) {
  const { t } = useTranslation();
  const { status = '', kind = '', userId = 0 } = shown;
  const kindOptions = deliveryKinds.map((value) => ({ value, label: t(`delivery.kind.${value}`) }));
  return (
    <Box sx={{ display: 'flex', gap: 1, flexWrap: 'wrap', alignItems: 'center' }}>
      <Box role="group" aria-label={t('delivery.filter')} sx={{ display: 'flex', gap: 0.5, flexWrap: 'wrap' }}>
        {filters.map((value) => (
          <Button
            key={value}
            size="small"
            variant={status === value ? 'outlined' : 'text'}
            aria-pressed={status === value}
            onClick={() => onChange({ ...shown, status: value })}
          >
            {t(value === '' ? 'delivery.all' : `delivery.${value}`)}
          </Button>
        ))}
      </Box>
      <NativeField
        label={t('delivery.kindLabel')}
        value={kind}
        onChange={(value) => onChange({ ...shown, kind: value })}
        options={[{ value: '', label: t('delivery.all') }, ...kindOptions]}
        width={160}
      />
      {everybody && (
        <Field
          label={t('delivery.userLabel')}
          inputMode="numeric"
          autoComplete="off"
          value={userId === 0 ? '' : String(userId)}
          onChange={(event) => onChange({ ...shown, userId: idIn(event.target.value) })}
          width={120}
        />
      )}
    </Box>
  );
}

const idIn = (text: string): number => Number(text.replaceAll(/\D/g, '').slice(0, 10));

/** Mails and webhooks with their outcome: the user's own, or everybody's for administrators. */
export function DeliveryList({ everybody = false }: { everybody?: boolean }) {
  const { t } = useTranslation();
  const [shown, setShown] = useState<Shown>({});
  const [{ page, size }, setPaging] = useState({ page: 1, size: SIZE });
  const query = useListDeliveriesQuery({ everybody, ...shown, page, size });
  const { data, error, refetch } = query;
  const answered = useShownPage(query, { page, size });
  const narrow = (next: Shown) => {
    setShown(next);
    setPaging({ page: 1, size });
  };
  return (
    <Stack spacing={1}>
      <Filters shown={shown} everybody={everybody} onChange={narrow} />
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
      {data && ((data.total ?? 0) > SIZE || page > 1) && (
        <TablePaging
          page={page}
          size={size}
          shown={answered}
          count={data.items.length}
          total={data.total}
          onPage={(next) => setPaging({ page: next, size })}
          onSize={(next) => setPaging({ page: 1, size: next })}
        />
      )}
    </Stack>
  );
}
