import { describe, expect, it } from '@jest/globals';
import { Logger } from './logger.js';
import { inRequest } from '../context/request-scope.js';

describe('the log', () => {
  const lines: Record<string, unknown>[] = [];
  const sink = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) };
  const logger = Logger.root('info', sink).child({ service: 'billing' });

  it('names the request wherever the work for it has got to', async () => {
    await inRequest({ id: 'r-1' }, async () => {
      await new Promise((resolve) => setImmediate(resolve));
      logger.info('deep inside');
    });
    logger.info('a sweep');
    expect(lines.map(({ msg, requestId, service }) => [msg, requestId, service])).toEqual([
      ['deep inside', 'r-1', 'billing'],
      ['a sweep', undefined, 'billing'],
    ]);
  });

  it('blanks secrets by their key', () => {
    logger.warn('refused', { password: 'hunter2', user: { accessToken: 'abc' } });
    expect(JSON.stringify(lines.at(-1))).not.toMatch(/hunter2|abc/);
  });
});
