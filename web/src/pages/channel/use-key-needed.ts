import { findChannelType } from '@tollgate/contracts/channel-types';
import { isRoot } from '@tollgate/contracts/roles';
import type { Control } from 'react-hook-form';
import { useFormState, useWatch } from 'react-hook-form';
import { selectRole } from '../../app/slices/session.js';
import { useAppSelector } from '../../app/store.js';
import type { ChannelForm } from './channel-form.js';

function proxyOf(setting = ''): unknown {
  try {
    return (JSON.parse(setting) as { proxy?: unknown } | null)?.proxy;
  } catch {
    return undefined;
  }
}

/**
 * Whether saving would send the stored key elsewhere, because the type, address, region or proxy changed. The server
 * accepts that from administrators only if they enter the key again; the super administrator is exempt.
 */
export function useKeyNeeded(control: Control<ChannelForm>, id: number | undefined): boolean {
  const role = useAppSelector(selectRole);
  const { defaultValues, dirtyFields } = useFormState({ control });
  const [type, setting] = useWatch({ control, name: ['type', 'setting'] });
  if (id === undefined || isRoot(role)) return false;
  const isRegion = findChannelType(Number(type))?.other?.field === 'region';
  const isMoved =
    dirtyFields.type === true || dirtyFields.base_url === true || (isRegion && dirtyFields.other === true);
  return isMoved || proxyOf(setting) !== proxyOf(defaultValues?.setting);
}
