import CssBaseline from '@mui/material/CssBaseline';
import { ThemeProvider } from '@mui/material/styles';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Provider } from 'react-redux';
import { RouterProvider } from 'react-router-dom';
import { currentLanguage } from '../app/i18n/index.js';
import type { createRouter } from './router.js';
import type { Store } from '../app/store.js';
import { buildTheme } from '../app/theme.js';

interface AppProps {
  store: Store;
  router: ReturnType<typeof createRouter>;
}

export function App({ store, router }: AppProps) {
  // Renders again when the language changes, because MUI's own texts change with it.
  useTranslation();
  const language = currentLanguage();
  const theme = useMemo(() => buildTheme(language), [language]);
  return (
    <Provider store={store}>
      <ThemeProvider theme={theme} defaultMode="system" modeStorageKey="theme-mode" disableTransitionOnChange noSsr>
        <CssBaseline />
        <RouterProvider router={router} />
      </ThemeProvider>
    </Provider>
  );
}
