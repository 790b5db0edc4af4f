import Box from '@mui/material/Box';
import { ChannelStatus } from '@tollgate/contracts/roles';
import type { ChannelKeyRow } from '@tollgate/contracts/api/channel';
import { useTranslation } from 'react-i18next';
import { useListChannelKeysQuery, useSwitchChannelKeyMutation } from '../../api/channel-tools.api.js';
import { BusyButton } from '../../components/basics/busy-button.js';
import { FormSection } from '../../components/forms/form-section.js';
import { Refusal } from '../../components/feedback/refusal.js';
import { StatusChip } from '../../components/texts/status-chip.js';
import { TimeText } from '../../components/texts/time-text.js';
import { statusKeyOf } from './channel-facts.js';

function KeyRow({ id, row }: { id: number; row: ChannelKeyRow }) {
  const { t } = useTranslation('channel');
  const [change, { isLoading, error }] = useSwitchChannelKeyMutation();
  const isOn = row.status === ChannelStatus.enabled;
  const status = isOn ? ChannelStatus.disabled : ChannelStatus.enabled;
  return (
    <tr>
      <td>
        <code>{row.hint}</code>
      </td>
      <td>
        <StatusChip status={statusKeyOf(row.status)} raw={row.status} />
      </td>
      <td style={{ overflowWrap: 'anywhere' }}>
        {row.reason}
        {row.time > 0 && (
          <Box sx={{ typography: 'caption', color: 'text.secondary' }}>
            <TimeText at={row.time} />
          </Box>
        )}
        {error && <Refusal error={error} />}
      </td>
      <td>
        <BusyButton
          size="small"
          busy={isLoading}
          aria-label={t(isOn ? 'keys.disable' : 'keys.enable', { hint: row.hint })}
          onClick={() => void change({ id, key_id: row.id, status })}
        >
          {t(isOn ? 'action.disable' : 'action.enable')}
        </BusyButton>
      </td>
    </tr>
  );
}

/**
 * The state of each key of a channel with several keys, and why a key gets no requests. The keys themselves are never
 * shown.
 */
export function ChannelKeyList({ id }: { id: number }) {
  const { t } = useTranslation('channel');
  const { data: rows = [], error } = useListChannelKeysQuery(id, { refetchOnMountOrArgChange: true });
  const able = rows.filter(({ status }) => status === ChannelStatus.enabled).length;
  return (
    <FormSection title={t('keys.title', { able, count: rows.length })}>
      {error && <Refusal error={error} />}
      <Box sx={{ overflowX: 'auto' }}>
        <table style={{ width: '100%' }}>
          <thead>
            <tr>
              {(['key', 'state', 'reason', 'action'] as const).map((name) => (
                <th key={name} scope="col" style={{ textAlign: 'start' }}>
                  {t(`keys.${name}`)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <KeyRow key={row.id} id={id} row={row} />
            ))}
          </tbody>
        </table>
      </Box>
      <Box sx={{ typography: 'caption', color: 'text.secondary' }}>{t('keys.note')}</Box>
    </FormSection>
  );
}
