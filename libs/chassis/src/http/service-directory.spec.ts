import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Logger } from '../log/logger.js';
import { type Lookup, parseServices, ServiceDirectory } from './service-directory.js';

const log = Logger.root('silent');
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** Starts a server that answers on every loopback address and reports ready only on the given ones. */
async function startPods(ready: ReadonlySet<string>): Promise<number> {
  const server: Server = createServer((request, response) =>
    response.writeHead(ready.has(request.socket.localAddress ?? '') ? 200 : 503).end(),
  );
  await new Promise<void>((done) => server.listen(0, '0.0.0.0', done));
  closing.push(() => new Promise((done) => server.close(done)));
  return (server.address() as AddressInfo).port;
}

function directoryOf(services: string, addressesOf: Lookup): ServiceDirectory {
  const directory = new ServiceDirectory(parseServices(services), log, addressesOf);
  closing.unshift(() => directory.close());
  return directory;
}

describe('a directory of names', () => {
  it('takes every address of a name for a replica, the ready ones first, and follows them as they come and go', async () => {
    const ready = new Set(['127.0.0.2', '127.0.0.3']);
    let addresses = ['127.0.0.2', '127.0.0.9'];
    const port = await startPods(ready);
    const directory = directoryOf(`billing=dns+http://billing-pods:${port}`, (host) =>
      Promise.resolve(host === 'billing-pods' ? addresses.map((address) => ({ address, family: 4 })) : []),
    );
    const origins = (): string[] => directory.inTurn('billing').map(({ origin }) => origin);
    // The name has not been resolved yet, so it is the only origin.
    expect(origins()).toEqual([`http://billing-pods:${port}`]);
    await directory.refresh();
    expect(origins()).toEqual([`http://127.0.0.2:${port}`, `http://127.0.0.9:${port}`]);
    expect(directory.inTurn('billing').map((replica) => replica.ready)).toEqual([true, false]);
    addresses = ['127.0.0.3'];
    await directory.refresh();
    expect(origins()).toEqual([`http://127.0.0.3:${port}`]);
    addresses = [];
    await directory.refresh();
    expect(origins()).toEqual([`http://127.0.0.3:${port}`]);
  });

  it('probes replicas between which it has a choice, and a single one only while that is left out', async () => {
    const ready = new Set<string>();
    const port = await startPods(ready);
    const url = (host: number): string => `http://127.0.0.${host}:${port}`;
    const directory = directoryOf(`billing=${url(2)},channel=${url(3)}|${url(4)}`, () => Promise.resolve([]));
    const states = (): boolean[] =>
      [...directory.inTurn('billing'), ...directory.inTurn('channel')].map((replica) => replica.ready);
    states();
    await directory.refresh();
    expect(states()).toEqual([true, false, false]);
    const [single] = directory.inTurn('billing');
    if (single) directory.eject(single, new Error('refused'));
    expect(states()).toEqual([false, false, false]);
    for (const host of [2, 3]) ready.add(`127.0.0.${host}`);
    await directory.refresh();
    expect(states()).toEqual([true, true, false]);
  });

  it('lets replicas of a name take turns', async () => {
    const port = await startPods(new Set(['127.0.0.2', '127.0.0.3']));
    const pods = ['127.0.0.2', '127.0.0.3'].map((address) => ({ address, family: 4 }));
    const directory = directoryOf(`relay=dns+http://relay-pods:${port}`, () => Promise.resolve(pods));
    directory.inTurn('relay');
    await directory.refresh();
    const firsts = [1, 2, 3, 4].map(() => directory.inTurn('relay')[0]?.origin);
    expect(new Set(firsts).size).toBe(2);
  });

  it('writes IPv6 addresses in URL form', async () => {
    const directory = directoryOf('relay=dns+http://relay-pods:3000', () =>
      Promise.resolve([{ address: 'fd00::7', family: 6 }]),
    );
    directory.inTurn('relay');
    await directory.refresh();
    expect(directory.inTurn('relay')[0]?.origin).toBe('http://[fd00::7]:3000');
  });
});
