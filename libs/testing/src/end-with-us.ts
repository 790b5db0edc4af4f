import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';

/**
 * A watchdog in shell. Its input reaches the end of file when this process dies, in whatever way, and then it sends the
 * signal. If it reads a line instead, it exits without a signal.
 */
const WATCH = 'read -r _ || { sleep "$3"; kill -s "$1" "$2"; }';

interface Ending {
  signal?: NodeJS.Signals;
  /**
   * Seconds between the end of this process and the signal, for servers that other processes need in order to drain.
   */
  graceSeconds?: number;
}

/**
 * Starts a watchdog that ends a process when this one is gone, even by SIGKILL, which a program cannot handle itself.
 * The watchdog has a process session of its own, so that signals to our process group do not reach it. The returned
 * function removes it: call it when the process has ended, because its pid may be reused.
 */
export function endWithUs(pid: number, { signal = 'SIGKILL', graceSeconds = 0 }: Ending = {}): () => void {
  const watch = spawn('sh', ['-c', WATCH, 'sh', signal.slice('SIG'.length), String(pid), String(graceSeconds)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const line = watch.stdin as Socket;
  for (const side of [watch, line]) {
    side.on('error', () => undefined);
    side.unref();
  }
  return () => void line.end('\n');
}
