import type { Channel } from '@tollgate/contracts/api/channel';
import type { AppThunk } from '../../app/store.js';
import type { ChannelRequest } from '../../api/channel.api.js';
import { channelApi } from '../../api/channel.api.js';

export const ROWS_PER_CALL = 100;
const everything = { keyword: '', model: '', group: '', status: '', sort: 'id', tags: '' };

/** Fetches all channels, or all in a state, from the server. */
export const loadChannels =
  (status = ''): AppThunk<Promise<Channel[]>> =>
  async (dispatch) => {
    const channels: Channel[] = [];
    for (let page = 1; ; page += 1) {
      const request: ChannelRequest = { page, size: ROWS_PER_CALL, filter: { ...everything, status } };
      const query = dispatch(
        channelApi.endpoints.listChannels.initiate(request, { forceRefetch: true, subscribe: false }),
      );
      const { items } = await query.unwrap();
      channels.push(...items);
      if (items.length < ROWS_PER_CALL) return channels;
    }
  };
