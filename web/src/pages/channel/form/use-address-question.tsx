import { findChannelType } from '@tollgate/contracts/channel-types';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useConfirm } from '../../../components/overlays/use-confirm.js';
import type { FormParts } from './channel-form.js';

const ENDING = /\/v1\/?$/;

/**
 * The question whether to take `/v1` off the end of an address. It is asked when the field is left, and before the form is saved, because
 * Enter saves without leaving the field; whoever has kept an address is not asked again.
 */
export function useAddressQuestion({ getValues, setValue }: Omit<FormParts, 'control'>, stored: () => string) {
  const { t } = useTranslation('channel');
  const { confirm, dialog } = useConfirm();
  const kept = useRef<string>(undefined);
  /** Returns whether there is something to ask. */
  const ask = (): boolean => {
    const { base_url, type } = getValues();
    const address = base_url.trim();
    const row = findChannelType(Number(type));
    const isTaken = row !== undefined && row.address !== 'none' && row.address !== 'full-url';
    if (!isTaken || !ENDING.test(address) || address === kept.current) return false;
    confirm({
      title: t('form.v1.title'),
      consequences: [t('form.v1.body')],
      confirm: { label: t('form.v1.action') },
      run: async () => setValue('base_url', address.replace(ENDING, ''), { shouldDirty: true }),
      onCancel: () => (kept.current = address),
    });
    return true;
  };
  /** A stored address does not hold up changes of other fields. */
  const askBeforeSaving = () => getValues('base_url') !== stored() && ask();
  return { ask, askBeforeSaving, dialog };
}
