import type { Channel } from '@tollgate/contracts/api/channel';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { describeError } from '../../api/api-error.js';
import { runJob } from '../../app/run-job.js';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch } from '../../app/store.js';
import { useTestChannelMutation } from './channel-tools.api.js';

export interface TestOutcome {
  state: 'running' | 'failed';
  text: string;
}

/** Tests of single channels: what runs or failed stands in the row until the next test of it. */
export function useChannelTests() {
  const { t } = useTranslation('channel');
  const dispatch = useAppDispatch();
  const [testChannel] = useTestChannelMutation();
  const [outcomes, setOutcomes] = useState<Record<number, TestOutcome | undefined>>({});
  const note = (id: number, outcome?: TestOutcome) => setOutcomes((now) => ({ ...now, [id]: outcome }));

  /** Seconds; rejects with the error of the upstream. */
  const ask = async ({ id }: Pick<Channel, 'id'>, model?: string): Promise<number> =>
    (await testChannel({ id, model }).unwrap()).time;

  const test = async (channel: Pick<Channel, 'id' | 'name'>): Promise<void> => {
    note(channel.id, { state: 'running', text: t('test.running') });
    try {
      const time = (await ask(channel)).toFixed(2);
      note(channel.id);
      dispatch(toastShown({ severity: 'success', key: 'channel:test.ok', params: { name: channel.name, time } }));
    } catch (error) {
      note(channel.id, { state: 'failed', text: describeError(error) });
    }
  };
  const testMany = (channels: Channel[]) =>
    dispatch(
      runJob({
        titleKey: 'channel:test.many',
        steps: channels.map((channel) => ({
          name: `#${channel.id} ${channel.name}`,
          to: `/channel/edit/${channel.id}`,
          run: async () => t('seconds', { time: (await ask(channel)).toFixed(2) }),
        })),
      }),
    );
  return { outcomes, test, testMany, ask };
}
