import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { requireFrontPort } from './front-port.js';

describe('the port of a cluster', () => {
  it('is refused while something listens there, and can be opened afterwards', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await expect(requireFrontPort('127.0.0.1', port)).rejects.toThrow(`Port ${port} is taken; stop what listens there`);
    server.close();
    await once(server, 'close');
    await requireFrontPort('127.0.0.1', port);
    await requireFrontPort('127.0.0.1', port);
  });

  it('is refused on an address that this machine does not have', async () => {
    await expect(requireFrontPort('203.0.113.7', 0)).rejects.toThrow('cannot be opened on 203.0.113.7 (EADDRNOTAVAIL)');
  });
});
