import Box from '@mui/material/Box';
import { useEffect, useRef } from 'react';

const SCRIPT = 'https://telegram.org/js/telegram-widget.js?22';
const CALLBACK = 'tollgateTelegram';

type Signed = Record<string, string | number>;
type WithCallback = Window & { [CALLBACK]?: (user: Signed) => void };

interface TelegramButtonProps {
  bot: string;
  /** Gets the fields that the widget signed; without it the browser navigates to `authUrl`. */
  onSigned?: (fields: Record<string, string>) => void;
  authUrl?: string;
}

/** Telegram's own button; its script replaces the element with a frame. */
export function TelegramButton({ bot, onSigned, authUrl }: TelegramButtonProps) {
  const place = useRef<HTMLDivElement>(null);
  const signed = useRef(onSigned);
  signed.current = onSigned;
  useEffect(() => {
    const holder = place.current;
    if (!holder) return;
    const script = document.createElement('script');
    script.src = SCRIPT;
    script.async = true;
    script.dataset.telegramLogin = bot;
    script.dataset.size = 'large';
    if (authUrl) script.dataset.authUrl = authUrl;
    else {
      (window as WithCallback)[CALLBACK] = (user) =>
        signed.current?.(Object.fromEntries(Object.entries(user).map(([name, value]) => [name, String(value)])));
      script.dataset.onauth = `${CALLBACK}(user)`;
    }
    holder.append(script);
    return () => {
      holder.replaceChildren();
      delete (window as WithCallback)[CALLBACK];
    };
  }, [bot, authUrl]);
  return <Box ref={place} data-telegram sx={{ minHeight: 40 }} />;
}
