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

  it('leaves out the objects that a library attached to an error', () => {
    class Client {
      readonly ssl = { pem: 'hunter2' };
    }
    const cause = Object.assign(new Error('closed'), { code: '57P01', at: { port: 1 }, client: new Client() });
    const inner = Object.assign(new Error('one of many'), { client: new Client() });
    logger.warn('lost', { error: Object.assign(new AggregateError([inner], 'all failed'), { cause }) });
    logger.warn('lost', { error: cause });
    const [collected, single] = lines.slice(-2).map(({ err }) => err as Record<string, unknown>);
    expect(single).toMatchObject({ message: 'closed', code: '57P01', at: { port: 1 } });
    expect(JSON.stringify(collected)).toContain('one of many');
    expect(JSON.stringify([collected, single])).not.toMatch(/hunter2|client/);
  });
});
