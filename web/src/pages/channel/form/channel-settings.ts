import {
  type AbortPolicy,
  isAbortPolicy,
  settingFault as faultOf,
  statusMappingFault,
} from '@tollgate/contracts/channel-settings';

/** `undefined` when the text is no JSON object. An empty text counts as an empty object. */
function readObject(text: string): Record<string, unknown> | undefined {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The abort policy in the extra settings, `stop` if there is none. `undefined` when the text is no JSON object or holds
 * another value under that name.
 */
export function policyOf(setting: string): AbortPolicy | undefined {
  const object = readObject(setting);
  const policy = object?.abort_policy === undefined ? object && 'stop' : object.abort_policy;
  return isAbortPolicy(policy) ? policy : undefined;
}

/** The extra settings with this abort policy; the default, `stop`, is left out. */
export function withPolicy(setting: string, policy: AbortPolicy): string {
  const { abort_policy: _, ...rest } = readObject(setting) ?? {};
  const object = policy === 'stop' ? rest : { ...rest, abort_policy: policy };
  return Object.keys(object).length === 0 ? '' : JSON.stringify(object, undefined, 2);
}

export const settingFault = (setting: string): ReturnType<typeof faultOf> => faultOf(readObject(setting) ?? {});
export const statusFault = (mapping: string): 'source' | 'target' | undefined =>
  statusMappingFault(readObject(mapping) ?? {});
