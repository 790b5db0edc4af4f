import Box from '@mui/material/Box';
import type { Channel } from '@tollgate/contracts/api/channel';
import { useTranslation } from 'react-i18next';
import { RowActions } from '../../components/tables/row-actions.js';
import type { RowAction } from '../../components/tables/table-types.js';
import { channelColumns } from './channel-columns.js';

const shown = ['id', 'name', 'type', 'status', 'response', 'quota', 'priority', 'weight'];
const columns = shown.flatMap((id) => channelColumns.filter((column) => column.id === id));

/** The channels of one tag. */
export function ChildTable({
  channels,
  rowActions,
}: {
  channels: Channel[];
  rowActions?: (channel: Channel) => RowAction[];
}) {
  const { t } = useTranslation('channel');
  return (
    <Box sx={{ overflowX: 'auto' }}>
      <table aria-label={t('tag.children')} style={{ minWidth: 860 }}>
        <tbody>
          {channels.map((channel) => (
            <tr key={channel.id}>
              {columns.map(({ id, cell, align, width }) => (
                <td key={id} className={align} style={{ width: width === 'grow' ? undefined : width }}>
                  {cell(channel)}
                </td>
              ))}
              {rowActions && (
                <td style={{ width: 120 }}>
                  <RowActions actions={rowActions(channel)} />
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </Box>
  );
}
