import { useEffect, useState } from 'react';
import { readStored, writeStored } from '../../app/stored.js';

interface TextQuery {
  data?: string | null;
  error?: unknown;
}

/** A text of the operator, stored under its documented key: the stored version is shown until the server has replied. */
export function useOperatorText(key: 'home_page_content' | 'about', { data, error }: TextQuery): string {
  const [before] = useState(() => readStored(key) ?? '');
  useEffect(() => {
    if (data !== undefined) writeStored(key, data || null);
  }, [key, data]);
  return data === undefined && !error ? before : (data ?? '');
}
