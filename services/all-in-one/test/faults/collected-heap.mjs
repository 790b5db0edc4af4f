// Loaded into every process of a cluster under test. On SIGUSR2 it runs a garbage collection and writes the heap size
// into a file named by its pid.
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const folder = process.env['TOLLGATE_TEST_HEAPS'];

if (folder !== undefined) {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  process.on('SIGUSR2', () => {
    collect();
    const { heapUsed, external } = process.memoryUsage();
    const file = join(folder, String(process.pid));
    writeFileSync(`${file}.new`, String(heapUsed + external));
    renameSync(`${file}.new`, file);
  });
}
