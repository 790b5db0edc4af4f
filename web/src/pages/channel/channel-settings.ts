import { type AbortPolicy, isAbortPolicy, statusMappingFault } from '@tollgate/contracts/channel-settings';

/** Undefined for text that is no JSON object. */
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

/** Undefined when the extra settings are no object or hold something else under that name. */
export function policyOf(setting: string): AbortPolicy | undefined {
  const object = readObject(setting);
  const policy = object?.abort_policy === undefined ? object && 'stop' : object.abort_policy;
  return isAbortPolicy(policy) ? policy : undefined;
}

/** The extra settings with another policy; the default is not written down. */
export function withPolicy(setting: string, policy: AbortPolicy): string {
  const { abort_policy: _, ...rest } = readObject(setting) ?? {};
  const object = policy === 'stop' ? rest : { ...rest, abort_policy: policy };
  return Object.keys(object).length === 0 ? '' : JSON.stringify(object, undefined, 2);
}

export const settingFault = (setting: string): boolean => policyOf(setting) === undefined;
export const statusFault = (mapping: string): 'source' | 'target' | undefined =>
  statusMappingFault(readObject(mapping) ?? {});
