import { describe, expect, it } from '@jest/globals';
import { socketFailure } from './socket-upstream.js';

const error = (message: string, members: object): Error => Object.assign(new Error(message), members);
const unconnected = error('connect ETIMEDOUT 192.0.2.1:443', { code: 'ETIMEDOUT', syscall: 'connect' });

describe('a web socket that failed', () => {
  it.each([
    ['was never connected', unconnected, 'network'],
    [
      'was connected to no address of the host',
      Object.assign(new AggregateError([unconnected, unconnected]), { code: 'ETIMEDOUT' }),
      'network',
    ],
    ['lost its connection while it waited', error('read ETIMEDOUT', { code: 'ETIMEDOUT', syscall: 'read' }), 'timeout'],
    ['was connected and got no message', error('no message came in time', { code: 'ETIMEDOUT' }), 'timeout'],
    ['got no answer to its handshake', error('Opening handshake has timed out', {}), 'timeout'],
    ['was refused', error('connect ECONNREFUSED', { code: 'ECONNREFUSED', syscall: 'connect' }), 'network'],
  ])('%s', (_, cause, reason) => {
    expect(socketFailure(cause)).toMatchObject({ reason, cause });
  });
});
