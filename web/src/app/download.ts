import type { ApiError } from '../api/api-error.js';
import { readErrorReply } from '../api/error-reply.js';
import { sessionRefused } from '../api/events.js';
import { saveFile } from './save-file.js';
import { toastShown } from './slices/toasts.js';
import type { AppThunk } from './store.js';

const queryOf = (filter: Record<string, string | number>): string =>
  new URLSearchParams(
    Object.entries(filter).flatMap(([name, value]) => (value === '' || value === 0 ? [] : [[name, String(value)]])),
  ).toString();

const fetchFile =
  (address: string, name: string): AppThunk<Promise<void>> =>
  async (dispatch, getState) => {
    const showError = (error: ApiError) => void dispatch(toastShown({ severity: 'error', error }));
    const { user } = getState().session;
    try {
      const reply = await fetch(address, {
        headers: { 'New-Api-User': String(user?.id ?? -1), 'Cache-Control': 'no-store' },
      });
      const requestId = reply.headers.get('X-Oneapi-Request-Id') ?? undefined;
      if (!reply.headers.get('content-disposition')?.startsWith('attachment')) {
        const refusal = readErrorReply(await reply.json().catch(() => undefined));
        const error = { message: `HTTP ${reply.status}`, ...refusal, status: reply.status, requestId };
        if (reply.status === 401 && user) dispatch(sessionRefused({ sentAs: user.id, error }));
        else showError(error);
        return;
      }
      saveFile(name, await reply.blob());
    } catch (error) {
      showError({ status: 0, message: String(error) });
    }
  };

/** Running downloads by user and address. */
const downloads = new Map<string, Promise<void>>();

/**
 * Downloads a file that the server writes. A refusal is shown as a toast and no file is saved. A call for a download that is already
 * running waits for it.
 */
export const downloadFile =
  (path: string, filter: Record<string, string | number>, name: string): AppThunk<Promise<void>> =>
  (dispatch, getState) => {
    const address = `${window.location.origin}/${path}?${queryOf(filter)}`;
    const key = `${getState().session.user?.id} ${address}`;
    const running = downloads.get(key) ?? dispatch(fetchFile(address, name));
    downloads.set(key, running);
    return running.finally(() => downloads.delete(key));
  };

/** `<list>_<day>.csv`; the day is in the reader's time zone. */
export const csvName = (list: string): string => `${list}_${new Date().toLocaleDateString('sv-SE')}.csv`;
