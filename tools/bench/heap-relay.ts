/** The relay with a door for whoever measures its heap. */
import { createServer } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { runProcess } from '@tollgate/process';
import { relay } from '@tollgate/relay';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options?: { type: 'minor' }) => void;

/** Answers the bytes that are in use behind two collections: of everything, or of what is young. */
const server = createServer((request, response) => {
  const options = request.url === '/young' ? [{ type: 'minor' } as const] : [];
  for (let turn = 0; turn < 2; turn += 1) collect(...options);
  response.end(String(process.memoryUsage().heapUsed));
});
server.listen(Number(process.env.BENCH_HEAP_PORT), '127.0.0.1');

await runProcess([relay], { front: 'relay' });
