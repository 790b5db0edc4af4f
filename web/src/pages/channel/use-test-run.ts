import { nanoid } from '@reduxjs/toolkit';
import type { Channel } from '@tollgate/contracts/api/channel';
import { ChannelStatus } from '@tollgate/contracts/roles';
import { useTranslation } from 'react-i18next';
import { baseApi } from '../../api/base-api.js';
import { jobAdvanced, jobEnded, jobStarted, selectJobs } from '../../app/slices/jobs.js';
import type { AppThunk } from '../../app/store.js';
import { useAppDispatch } from '../../app/store.js';
import type { ChannelRequest } from '../../api/channel.api.js';
import { channelApi } from '../../api/channel.api.js';
import { statusOf } from './channel-facts.js';

/** Per page of the list, so that a long one does not spend the calls a person has. */
const POLL_MS = 3000;
/** A run without news for so long is over or lost. */
const SILENCE_MS = 60_000;
const PAGE = 100;
const everything = { keyword: '', model: '', group: '', status: '', sort: 'id', tags: '' };

const loadAll = (): AppThunk<Promise<Channel[]>> => async (dispatch) => {
  const channels: Channel[] = [];
  for (let page = 1; ; page += 1) {
    const request: ChannelRequest = { page, size: PAGE, filter: everything };
    const query = dispatch(
      channelApi.endpoints.listChannels.initiate(request, { forceRefetch: true, subscribe: false }),
    );
    const { items } = await query.unwrap();
    channels.push(...items);
    if (items.length < PAGE) return channels;
  }
};

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Who cancels ends the watching; the run itself is the server's. */
const isWatched =
  (id: string): AppThunk<boolean> =>
  (_, getState) =>
    selectJobs(getState()).some((job) => job.id === id && job.state === 'running');

/** A page that does not come is no news; the next look may have it. */
const lookAgain = (): AppThunk<Promise<Channel[]>> => (dispatch) => dispatch(loadAll()).catch(() => []);

/**
 * Watches a run of the server by the test times of the channels, and reports each as it changes. Which are tested is to be known before it
 * begins: one that fails at once is enabled no longer.
 */
export function useTestRun() {
  const { t } = useTranslation('channel');
  const dispatch = useAppDispatch();
  const resultOf = (channel: Channel) => {
    const status = statusOf(channel);
    const ok = status === 'enabled';
    return {
      name: `#${channel.id} ${channel.name}`,
      to: `/channel/edit/${channel.id}`,
      ok,
      text: ok
        ? t('seconds', { time: (channel.response_time / 1000).toFixed(2) })
        : t(status === 'suspect' ? 'status.suspect' : 'status.autoDisabled'),
    };
  };
  /** Those that will be tested, each with the time of its last test by the clock of the server, which need not be ours. */
  const tested = async (): Promise<ReadonlyMap<number, number>> =>
    new Map(
      (await dispatch(loadAll()))
        .filter(({ status }) => status === ChannelStatus.enabled)
        .map(({ id, test_time: at }) => [id, at]),
    );
  const watch = async (before: ReadonlyMap<number, number>): Promise<void> => {
    const id = nanoid();
    const total = before.size;
    dispatch(jobStarted({ id, titleKey: 'channel:all.testAll.job', total }));
    const reported = new Set<number>();
    let newsAt = Date.now();
    const goesOn = () => dispatch(isWatched(id)) && Date.now() - newsAt < SILENCE_MS;
    while (reported.size < total && goesOn()) {
      await wait(POLL_MS * Math.max(1, Math.ceil(total / PAGE)));
      const fresh = (await dispatch(lookAgain())).filter(
        ({ id: of, test_time: at }) => before.has(of) && before.get(of) !== at && !reported.has(of),
      );
      for (const channel of fresh) reported.add(channel.id);
      dispatch(jobAdvanced({ id, results: fresh.map(resultOf) }));
      if (fresh.length > 0) newsAt = Date.now();
    }
    dispatch(jobEnded(id));
    dispatch(baseApi.util.invalidateTags(['Channel']));
  };
  return { tested, watch };
}
