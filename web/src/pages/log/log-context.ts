import { createContext, use } from 'react';

/** What the log page provides to its cells and details. */
interface LogContextValue {
  showUser: (id: number) => void;
  /** Sets one filter, e.g. the model of a row. */
  narrow: (name: string, value: string) => void;
}

export const LogContext = createContext<LogContextValue | undefined>(undefined);

export function useLogContext(): LogContextValue {
  const value = use(LogContext);
  if (!value) throw new Error('a log cell is drawn outside the log page');
  return value;
}
