import { findChannelType } from '@tollgate/contracts/channel-types';
import { isRoot } from '@tollgate/contracts/roles';
import type { Control } from 'react-hook-form';
import { useFormState, useWatch } from 'react-hook-form';
import { selectRole } from '../../../app/slices/session.js';
import { useAppSelector } from '../../../app/store.js';
import type { ChannelForm } from './channel-form.js';

function proxyOf(setting = ''): unknown {
  try {
    return (JSON.parse(setting) as { proxy?: unknown } | null)?.proxy;
  } catch {
    return undefined;
  }
}

/** Whether the form names another upstream than the stored one: another type, address, region or proxy. */
export function useMoved(control: Control<ChannelForm>): boolean {
  const { defaultValues, dirtyFields } = useFormState({ control });
  const [type, setting] = useWatch({ control, name: ['type', 'setting'] });
  const row = findChannelType(Number(type));
  const isMoved =
    dirtyFields.type === true ||
    (row?.address !== 'none' && dirtyFields.base_url === true) ||
    (row?.other?.field === 'region' && dirtyFields.other === true);
  return isMoved || proxyOf(setting) !== proxyOf(defaultValues?.setting);
}

/**
 * Whether the key must be entered, because saving would send the key of the stored channel elsewhere. The server accepts that from
 * administrators only if they enter the key again; the super administrator is exempt.
 */
export function useKeyNeeded(control: Control<ChannelForm>, stored: number | undefined): boolean {
  const role = useAppSelector(selectRole);
  const isMoved = useMoved(control);
  return stored !== undefined && !isRoot(role) && isMoved;
}
