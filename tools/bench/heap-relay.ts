/** The relay with an additional HTTP port that reports the size of its heap. */
import { createServer } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { runProcess } from '@tollgate/process';
import { relay } from '@tollgate/relay';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options?: { type: 'minor' }) => void;

/**
 * Replies with the heap bytes in use after two garbage collections: minor ones for `/young`, full ones for any other
 * path.
 */
const server = createServer((request, response) => {
  const options = request.url === '/young' ? [{ type: 'minor' } as const] : [];
  for (let turn = 0; turn < 2; turn += 1) collect(...options);
  response.end(String(process.memoryUsage().heapUsed));
});
server.listen(Number(process.env.BENCH_HEAP_PORT), '127.0.0.1');

await runProcess([relay], { front: 'relay' });
