import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import type { ReactNode } from 'react';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { currentLanguage } from '../../app/i18n/index.js';
import { selectStatus } from '../../app/slices/status.js';
import { useAppSelector } from '../../app/store.js';
import { Callout } from '../feedback/callout.js';

const SCRIPT = 'https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit';

interface Widget {
  sitekey: string;
  language: string;
  theme: 'auto';
  callback: (token: string) => void;
  'expired-callback': () => void;
  'error-callback': () => void;
}
interface Turnstile {
  render(place: HTMLElement, widget: Widget): string;
  reset(id: string): void;
  remove(id: string): void;
}
type WithTurnstile = typeof globalThis & { turnstile?: Turnstile };
const turnstile = (): Turnstile | undefined => (globalThis as WithTurnstile).turnstile;

let loading: Promise<void> | undefined;

/** Loads the script once per page; after a failure it can be loaded again. */
function loadScript(): Promise<void> {
  if (turnstile()) return Promise.resolve();
  loading ??= new Promise<void>((resolve, reject) => {
    const script = document.createElement('script');
    script.src = SCRIPT;
    script.async = true;
    script.onload = () => resolve();
    script.onerror = () => {
      script.remove();
      loading = undefined;
      reject(new Error('the bot check did not load'));
    };
    document.head.append(script);
  });
  return loading;
}

interface PlaceProps {
  siteKey: string;
  /** Increased after each used result, because every call needs a new one. */
  round: number;
  onToken: (token: string) => void;
}

function Place({ siteKey, round, onToken }: PlaceProps) {
  const { t } = useTranslation();
  const place = useRef<HTMLDivElement>(null);
  const widget = useRef<string>(undefined);
  const [failed, setFailed] = useState(false);
  const [attempt, setAttempt] = useState(0);

  useEffect(() => {
    let isGone = false;
    setFailed(false);
    const draw = () => {
      if (isGone || !place.current) return;
      widget.current = turnstile()?.render(place.current, {
        sitekey: siteKey,
        language: currentLanguage(),
        theme: 'auto',
        callback: onToken,
        'expired-callback': () => onToken(''),
        'error-callback': () => setFailed(true),
      });
    };
    loadScript().then(draw, () => !isGone && setFailed(true));
    return () => {
      isGone = true;
      if (widget.current !== undefined) turnstile()?.remove(widget.current);
      widget.current = undefined;
    };
  }, [siteKey, onToken, attempt]);

  useEffect(() => {
    if (round > 0 && widget.current !== undefined) turnstile()?.reset(widget.current);
  }, [round]);

  return (
    <Box>
      <Box ref={place} data-bot-check sx={{ minHeight: failed ? 0 : 65 }} />
      {failed && (
        <Callout
          severity="warning"
          role="alert"
          action={
            <Button size="small" onClick={() => setAttempt((count) => count + 1)}>
              {t('action.retry')}
            </Button>
          }
        >
          {t('botCheck.away')}
        </Callout>
      )}
    </Box>
  );
}

interface BotCheck {
  /** The result for the next call; empty if the check is switched off. */
  token: string;
  /** Why the form cannot be submitted yet, as a key of the shell's dictionary. */
  problem: 'botCheck.wait' | undefined;
  /** To be called after each call that contained the result, whether it succeeded or failed. */
  used: () => void;
  widget: ReactNode;
}

/** The operator's bot check for one form; renders nothing if it is switched off. */
export function useBotCheck(): BotCheck {
  const { turnstile_check: isOn = false, turnstile_site_key: siteKey = '' } = useAppSelector(selectStatus);
  const [token, setToken] = useState('');
  const [round, setRound] = useState(0);
  const used = useCallback(() => {
    setToken('');
    setRound((count) => count + 1);
  }, []);
  if (!isOn) return { token: '', problem: undefined, used, widget: null };
  return {
    token,
    problem: token === '' ? 'botCheck.wait' : undefined,
    used,
    widget: <Place siteKey={siteKey} round={round} onToken={setToken} />,
  };
}
