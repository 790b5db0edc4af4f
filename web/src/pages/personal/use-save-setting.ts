import type { SeenSetting, UpdateUserSetting, UserSetting } from '@tollgate/contracts/api/user';
import { settingOf, useGetSelfQuery, useUpdateSettingMutation } from '../../api/self.api.js';
import { isConflict } from '../../components/forms/use-conflict.js';

interface Change {
  /** Builds the request with the whole setting from the stored one and the user's change. */
  over: (stored: UserSetting) => UpdateUserSetting;
  /** The state that must still be stored for the change to be accepted. */
  seen: (stored: UserSetting) => SeenSetting;
}

/**
 * Saves a change of the user's setting, which the API replaces as a whole, although two cards and several windows edit
 * parts of it. After a conflict about other parts the change is applied to the newer setting and sent again; a conflict
 * about the same part is returned as the refusal.
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
