import { findChannelType } from '@tollgate/contracts/channel-types';
import type { Control } from 'react-hook-form';
import { useWatch } from 'react-hook-form';
import type { ChannelForm } from './channel-form.js';

/** The type that is chosen in the form. */
export const useType = (control: Control<ChannelForm>) => {
  const number = useWatch({ control, name: 'type' });
  return { number: Number(number), row: findChannelType(Number(number)) };
};
