import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { root } from './paths.mjs';

/** npm, the shell and the terminal may each forward the same key press; signals within this time count as one. */
const SAME_PRESS_MS = 1_000;

const exitCodeOf = (code, signal) => code ?? 128 + (constants.signals[signal] ?? 0);

/**
 * Runs a long-lived child in the foreground and resolves to its exit code. The child stays in this process group, so a
 * signal to the group (Ctrl-C in a terminal) reaches it directly; any other signal is forwarded, once. A `tied` child
 * has an IPC channel to this process, whose closing tells it that this process was killed.
 */
export function runForeground(command, args, { env = {}, tied = false } = {}) {
  const stdio = ['inherit', 'inherit', 'inherit', ...(tied ? ['ipc'] : [])];
  const child = spawn(command, args, { cwd: root, stdio, env: { ...process.env, ...env } });
  let lastPassedOn = -Infinity;
  const passOn = (signal) => {
    if (signal === 'SIGINT' && process.stdin.isTTY) return;
    const now = performance.now();
    if (now - lastPassedOn < SAME_PRESS_MS) return;
    lastPassedOn = now;
    child.kill(signal === 'SIGHUP' ? 'SIGTERM' : signal);
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, passOn);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      for (const name of signals) process.removeListener(name, passOn);
      resolve(exitCodeOf(code, signal));
    });
  });
}

/** Runs a child to its end and resolves to its exit code and, with `show: false`, its output. */
export function runToEnd(command, args, { env = {}, show = true } = {}) {
  const child = spawn(command, args, {
    cwd: root,
    stdio: show ? 'inherit' : ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  const said = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => said.push(chunk));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) =>
      resolve({ code: exitCodeOf(code, signal), output: Buffer.concat(said).toString() }),
    );
  });
}
