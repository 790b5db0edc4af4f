import CheckIcon from '@mui/icons-material/Check';
import CopyIcon from '@mui/icons-material/ContentCopy';
import type { ButtonProps } from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import { Suspense, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { BusyButton } from '../basics/busy-button.js';
import type { TextKey } from '../../app/i18n/text-keys.js';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch } from '../../app/store.js';
import { copyText } from '../basics/copy-text.js';
import { lazyPart } from '../basics/lazy-part.js';

const CopyByHand = lazyPart(async () => (await import('./copy-by-hand.js')).CopyByHand);

type Announce = { key: TextKey; params?: Record<string, string> };

/** Copies a text and confirms it; if the browser refuses, a dialog shows the text. */
export function useCopy() {
  const dispatch = useAppDispatch();
  const [refused, setRefused] = useState<string>();
  const copy = async (text: string, announce: Announce = { key: 'copy.done' }): Promise<boolean> => {
    const copied = await copyText(text);
    if (copied) dispatch(toastShown({ severity: 'success', ...announce }));
    else setRefused(text);
    return copied;
  };
  const dialog =
    refused === undefined ? null : (
      <Suspense fallback={null}>
        <CopyByHand text={refused} onClose={() => setRefused(undefined)} />
      </Suspense>
    );
  return { copy, dialog };
}

interface CopyButtonProps {
  /** A function is called when the button is pressed, for text that must be fetched first. */
  text: string | (() => Promise<string | undefined>);
  label?: string;
  /** Shows the label beside the icon. */
  labelled?: boolean;
  announce?: Announce;
  variant?: ButtonProps['variant'];
}

export function CopyButton({ text, label, labelled = false, announce, variant = 'outlined' }: CopyButtonProps) {
  const { t } = useTranslation();
  const { copy, dialog } = useCopy();
  const [done, setDone] = useState(false);
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    if (!done) return;
    const timer = setTimeout(() => setDone(false), 1500);
    return () => clearTimeout(timer);
  }, [done]);

  const run = async () => {
    if (busy) return;
    setBusy(true);
    const value = typeof text === 'string' ? text : await text();
    setBusy(false);
    if (value !== undefined) setDone(await copy(value, announce));
  };
  const name = label ?? t('action.copy');
  const icon = done ? <CheckIcon color="success" sx={{ fontSize: 16 }} /> : <CopyIcon sx={{ fontSize: 16 }} />;
  return (
    <>
      {labelled ? (
        <BusyButton variant={variant} startIcon={icon} onClick={run} busy={busy}>
          {done ? t('action.copied') : name}
        </BusyButton>
      ) : (
        <IconButton size="small" aria-label={name} title={name} onClick={run} aria-disabled={busy}>
          {icon}
        </IconButton>
      )}
      {dialog}
    </>
  );
}
