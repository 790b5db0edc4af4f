import Box from '@mui/material/Box';
import { useColorScheme } from '@mui/material/styles';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { currentLanguage } from '../../app/i18n/index.js';

/**
 * Posts the theme and language of the console to a framed page. The target origin is that of its address, so no
 * other page can read the message.
 */
export function usePostedTheme(address: string) {
  const frame = useRef<HTMLIFrameElement>(null);
  const { mode = 'system', systemMode } = useColorScheme();
  const themeMode = mode === 'system' ? (systemMode ?? 'light') : mode;
  // Renders again when the language changes.
  useTranslation();
  const lang = currentLanguage();
  const [loads, setLoads] = useState(0);
  useEffect(() => {
    if (loads === 0) return;
    const { origin } = new URL(address);
    frame.current?.contentWindow?.postMessage({ themeMode }, origin);
    frame.current?.contentWindow?.postMessage({ lang }, origin);
  }, [address, themeMode, lang, loads]);
  return { frame, loaded: loads > 0, onLoad: () => setLoads((count) => count + 1) };
}

export interface FrameProps {
  address: string;
  title: string;
}

/** An external page: it may run its own scripts, but has no access to the console around it. */
export function OperatorFrame({ address, title }: FrameProps) {
  const { frame, onLoad } = usePostedTheme(address.trim());
  return (
    <Box
      component="iframe"
      ref={frame}
      src={address.trim()}
      title={title}
      onLoad={onLoad}
      referrerPolicy="no-referrer"
      sandbox="allow-scripts allow-forms allow-popups allow-same-origin"
      sx={{ width: '100%', height: 'calc(100dvh - 140px)', border: 0, borderRadius: '8px' }}
    />
  );
}
