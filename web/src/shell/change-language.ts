import { switchLanguage } from '../app/i18n/index.js';
import type { Language } from '../app/i18n/language.js';
import { toastShown } from '../app/slices/toasts.js';
import type { AppThunk } from '../app/store.js';
import { loadPart } from '../components/basics/lazy-part.js';

/** If a file of the other language cannot be loaded, the language stays. */
export const changeLanguage =
  (language: Language): AppThunk<Promise<void>> =>
  (dispatch) =>
    loadPart(() => switchLanguage(language)).catch(
      () => void dispatch(toastShown({ severity: 'error', key: 'state.missingTexts' })),
    );
