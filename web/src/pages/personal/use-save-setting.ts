import type { SeenSetting, UpdateUserSetting, UserSetting } from '@tollgate/contracts/api/user';
import { useGetSelfQuery, useUpdateSettingMutation } from '../../api/self.api.js';
import { isConflict } from '../../components/forms/use-conflict.js';
import { settingOf } from './notify-form.js';

interface Change {
  /** The whole setting, as the call wants it, with the change made on what is stored. */
  over: (stored: UserSetting) => UpdateUserSetting;
  /** What must still be stored. */
  seen: (stored: UserSetting) => SeenSetting;
}

/**
 * The setting is replaced as a whole, and two cards or two windows change parts of it. Where something else of it changed meanwhile the change is made
 * once more, on that; where the same part did, the refusal is told.
 */
export function useSaveSetting(setting: UserSetting) {
  const [update, { isLoading, error, reset }] = useUpdateSettingMutation();
  const self = useGetSelfQuery();
  const refetch = async () => {
    const { data, error: problem } = await self.refetch();
    return { data: data && settingOf(data.setting), error: problem };
  };
  const save = async ({ over, seen }: Change): Promise<unknown> => {
    const put = async (stored: UserSetting) => (await update({ ...over(stored), expected: seen(stored) })).error;
    const refusal = await put(setting);
    if (!isConflict(refusal)) return refusal;
    const { data: fresh } = await refetch();
    return fresh ? put(fresh) : refusal;
  };
  return { save, isLoading, error, forget: reset, query: { data: setting, refetch } };
}
