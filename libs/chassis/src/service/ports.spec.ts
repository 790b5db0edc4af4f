import { type AddressInfo, createServer, type Server } from 'node:net';
import { requirePorts } from './ports.js';

const HOST = '127.0.0.1';

function occupied(): Promise<Server> {
  const server = createServer();
  return new Promise((resolve) => {
    server.listen({ host: HOST, port: 0 }, () => resolve(server));
  });
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

const closed = (server: Server): Promise<void> => new Promise((resolve) => void server.close(() => resolve()));

describe('the ports of a process', () => {
  let taken: Server;
  let port: number;

  beforeEach(async () => {
    taken = await occupied();
    port = portOf(taken);
  });

  afterEach(() => closed(taken));

  it('are named with their variable when one is taken', async () => {
    await expect(requirePorts({ HOST, PORT: port, TOLLGATE_METRICS_PORT: undefined })).rejects.toThrow(
      `Port ${port} is taken. Stop what listens there or set PORT to another one.`,
    );
    await expect(requirePorts({ HOST, PORT: 0, TOLLGATE_METRICS_PORT: port })).rejects.toThrow(
      `Port ${port} is taken. Stop what listens there or set TOLLGATE_METRICS_PORT to another one.`,
    );
  });

  it('must belong to an address of this machine', async () => {
    await expect(requirePorts({ HOST: '192.0.2.1', PORT: 0, TOLLGATE_METRICS_PORT: undefined })).rejects.toThrow(
      'HOST is 192.0.2.1, which is no address of this machine. Set it to one, or leave it out.',
    );
  });

  it('are free again afterwards', async () => {
    const other = await occupied();
    const free = portOf(other);
    await closed(other);
    const env = { HOST, PORT: free, TOLLGATE_METRICS_PORT: undefined };
    await requirePorts(env);
    await expect(requirePorts(env)).resolves.toBeUndefined();
  });
});
