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
