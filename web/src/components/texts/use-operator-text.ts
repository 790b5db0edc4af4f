import { useEffect, useState } from 'react';
import { readStored, writeStored } from '../../app/stored.js';

interface TextQuery {
  data?: string | null;
  error?: unknown;
}

/** What the operator wrote, under its documented key: as it was the last time until the server has answered. */
export function useOperatorText(key: 'home_page_content' | 'about', { data, error }: TextQuery): string {
  const [before] = useState(() => readStored(key) ?? '');
  useEffect(() => {
    if (data !== undefined) writeStored(key, data || null);
  }, [key, data]);
  return data === undefined && !error ? before : (data ?? '');
}
