import { nanoid } from '@reduxjs/toolkit';
import type { Channel } from '@tollgate/contracts/api/channel';
import { speechlessChannelTypes } from '@tollgate/contracts/channel-types';
import { ChannelStatus } from '@tollgate/contracts/roles';
import { baseApi } from '../../api/base-api.js';
import type { JobResult } from '../../app/slices/jobs.js';
import { jobAdvanced, jobEnded, jobStarted, selectJobs } from '../../app/slices/jobs.js';
import type { TextKey } from '../../app/i18n/text-keys.js';
import type { AppThunk } from '../../app/store.js';
import { useAppDispatch } from '../../app/store.js';
import type { StatusKey } from '../../components/texts/status-chip.js';
import { hasFailedTest, statusOf } from './channel-facts.js';
import { ROWS_PER_CALL, loadChannels } from './load-channels.js';
import { loadPart } from '../../components/basics/lazy-part.js';

/**
 * Milliseconds between polls, per page of the list, so that polling a long list does not use up the user's rate limit.
 */
const POLL_MS = 3000;
/** A run without a new result for this long is finished or lost. */
const LOST_MS = 60_000;

/** Types that a test of all channels leaves out. */
const untested: readonly number[] = speechlessChannelTypes;

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Cancelling the job only stops watching it; the server continues its run. */
const isWatched =
  (id: string): AppThunk<boolean> =>
  (_, getState) =>
    selectJobs(getState()).some((job) => job.id === id && job.state === 'running');

/** What a failed test led to; a channel that stays enabled only failed. */
const failureKeys: Partial<Record<StatusKey, TextKey>> = {
  suspect: 'status.suspect',
  autoDisabled: 'status.autoDisabled',
};

/** A failed fetch counts as "no change"; the next poll tries again. */
const pollChannels = (): AppThunk<Promise<Channel[]>> => (dispatch) => dispatch(loadChannels()).catch(() => []);

/** Channels that were switched off automatically are tested too where a success enables them. */
const testedStatuses = (): AppThunk<Promise<number[]>> => async (dispatch) => {
  // Loaded when it is needed, because it contains the table of all options. Only the list of results depends on it.
  const part = await loadPart(() => import('../../api/option.api.js')).catch(() => undefined);
  if (!part) return [ChannelStatus.enabled];
  const { optionApi } = part;
  const query = optionApi.endpoints.listOptions.initiate(undefined, { forceRefetch: true, subscribe: false });
  const { AutomaticEnableChannelEnabled: enables } = await dispatch(query).unwrap();
  return enables?.value === 'true' ? [ChannelStatus.enabled, ChannelStatus.autoDisabled] : [ChannelStatus.enabled];
};

/**
 * Follows a test run of the server by the test times of the channels, and reports each channel whose time changes. The
 * channels must be loaded before the run begins, because a channel that fails at once is no longer enabled.
 */
export function useTestRun() {
  const dispatch = useAppDispatch();
  const resultOf = (channel: Channel): JobResult => {
    const status = statusOf(channel);
    const failed = hasFailedTest(channel);
    const ok = status === 'enabled' && !failed;
    return {
      name: `#${channel.id} ${channel.name}`,
      to: `/channel/edit/${channel.id}`,
      ok,
      text: ok
        ? { key: 'channel:seconds', values: { time: (channel.response_time / 1000).toFixed(2) } }
        : { key: failureKeys[status] ?? 'channel:test.failed' },
    };
  };
  /**
   * The channels that the server will test, each with the time of its last test. Times are only compared for a change,
   * because the server's clock may differ from the browser's.
   */
  const tested = async (): Promise<ReadonlyMap<number, number>> => {
    const statuses = await dispatch(testedStatuses());
    return new Map(
      (await dispatch(loadChannels()))
        .filter(({ status, type }) => statuses.includes(status) && !untested.includes(type))
        .map(({ id, test_time: at }) => [id, at]),
    );
  };
  const watch = async (before: ReadonlyMap<number, number>): Promise<void> => {
    const id = nanoid();
    const total = before.size;
    dispatch(jobStarted({ id, titleKey: 'channel:all.testAll.job', total }));
    const reported = new Set<number>();
    let lastResultAt = Date.now();
    const isActive = () => dispatch(isWatched(id)) && Date.now() - lastResultAt < LOST_MS;
    while (reported.size < total && isActive()) {
      await wait(POLL_MS * Math.max(1, Math.ceil(total / ROWS_PER_CALL)));
      const fresh = (await dispatch(pollChannels())).filter(
        ({ id: of, test_time: at }) => before.has(of) && before.get(of) !== at && !reported.has(of),
      );
      for (const channel of fresh) reported.add(channel.id);
      dispatch(jobAdvanced({ id, results: fresh.map(resultOf) }));
      if (fresh.length > 0) lastResultAt = Date.now();
    }
    dispatch(jobEnded(id));
    dispatch(baseApi.util.invalidateTags(['Channel']));
  };
  return { tested, watch };
}
