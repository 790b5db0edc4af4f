import type { ApiError } from '../api/api-error.js';
import { sessionRefused } from '../api/events.js';
import { toastShown } from './slices/toasts.js';
import type { AppThunk } from './store.js';

const words = (filter: Record<string, string | number>): string =>
  new URLSearchParams(
    Object.entries(filter).flatMap(([name, value]) => (value === '' || value === 0 ? [] : [[name, String(value)]])),
  ).toString();

/** A file that the server writes; what it refuses is told, and no file appears. */
export const downloadFile =
  (path: string, filter: Record<string, string | number>, name: string): AppThunk<Promise<void>> =>
  async (dispatch, getState) => {
    const tell = (error: ApiError) => void dispatch(toastShown({ severity: 'error', error }));
    const { user } = getState().session;
    try {
      const reply = await fetch(`${window.location.origin}/${path}?${words(filter)}`, {
        headers: { 'New-Api-User': String(user?.id ?? -1), 'Cache-Control': 'no-store' },
      });
      const requestId = reply.headers.get('X-Oneapi-Request-Id') ?? undefined;
      if (!reply.headers.get('content-disposition')?.startsWith('attachment')) {
        if (reply.status === 401 && user) {
          dispatch(sessionRefused(user.id));
          return;
        }
        const refusal = (await reply.json().catch(() => ({}))) as Partial<ApiError>;
        tell({ message: `HTTP ${reply.status}`, ...refusal, status: reply.status, requestId });
        return;
      }
      const link = document.createElement('a');
      link.href = URL.createObjectURL(await reply.blob());
      link.download = name;
      link.click();
      URL.revokeObjectURL(link.href);
    } catch (error) {
      tell({ status: 0, message: String(error) });
    }
  };

/** `<list>_<day>.csv`, by the reader's calendar. */
export const csvName = (list: string): string => `${list}_${new Date().toLocaleDateString('sv-SE')}.csv`;
