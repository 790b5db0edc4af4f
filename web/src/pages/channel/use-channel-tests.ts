import { MAX_TESTED_AT_ONCE } from '@tollgate/contracts/api/channel';
import type { Channel, ChannelTestRow } from '@tollgate/contracts/api/channel';
import { useState } from 'react';
import { channelApi } from '../../api/channel.api.js';
import { runJob } from '../../app/run-job.js';
import type { JobResult } from '../../app/slices/jobs.js';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch } from '../../app/store.js';
import { useTestChannelMutation, useTestSomeChannelsMutation } from '../../api/channel-tools.api.js';

export type TestOutcome = { state: 'running' } | { state: 'failed'; error: unknown };

const nameOf = ({ id, name }: Channel) => ({ name: `#${id} ${name}`, to: `/channel/edit/${id}` });

/** Channels per call; few, so that the progress is visible. */
const PART = Math.min(10, MAX_TESTED_AT_ONCE);
const parts = (channels: Channel[]): Channel[][] =>
  Array.from({ length: Math.ceil(channels.length / PART) }, (_, index) =>
    channels.slice(index * PART, (index + 1) * PART),
  );

/** Tests channels. A running or failed test is shown in the row of its channel until the next test of that channel. */
export function useChannelTests() {
  const dispatch = useAppDispatch();
  const [testChannel] = useTestChannelMutation();
  const [testSome] = useTestSomeChannelsMutation();
  const [outcomes, setOutcomes] = useState<Record<number, TestOutcome | undefined>>({});
  const note = (id: number, outcome?: TestOutcome) => setOutcomes((now) => ({ ...now, [id]: outcome }));

  /** Tests a channel and resolves to the response time in seconds; rejects with the upstream's error. */
  const ask = async ({ id }: Pick<Channel, 'id'>, model?: string): Promise<number> =>
    (await testChannel({ id, model }).unwrap()).time;

  const test = async (channel: Pick<Channel, 'id' | 'name'>): Promise<void> => {
    note(channel.id, { state: 'running' });
    try {
      const time = (await ask(channel)).toFixed(2);
      note(channel.id);
      dispatch(toastShown({ severity: 'success', key: 'channel:test.ok', params: { name: channel.name, time } }));
    } catch (error) {
      note(channel.id, { state: 'failed', error });
    }
  };
  const resultOf = (channel: Channel, rows: ChannelTestRow[]): JobResult => {
    const row = rows.find(({ id }) => id === channel.id);
    if (!row?.success) return { ...nameOf(channel), ok: false, text: row?.message ?? '' };
    const values = { time: row.time.toFixed(2) };
    return { ...nameOf(channel), ok: true, text: { key: 'channel:seconds', values } };
  };
  const testMany = (channels: Channel[]) =>
    dispatch(
      runJob({
        titleKey: 'channel:test.many',
        calls: parts(channels).map((part) => ({
          names: part.map(nameOf),
          run: async () => {
            const rows = await testSome({ ids: part.map(({ id }) => id) }).unwrap();
            return part.map((channel) => resultOf(channel, rows));
          },
        })),
      }),
    ).finally(() => dispatch(channelApi.util.invalidateTags(['Channel'])));
  return { outcomes, test, testMany, ask };
}
