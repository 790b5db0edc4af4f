import { describe, expect, it } from '@jest/globals';
import { isOutage } from './outage.js';

const failure = (fields: object, cause?: unknown): Error => Object.assign(new Error('failed', { cause }), fields);

describe('isOutage', () => {
  it.each([
    ['a refused connection', failure({ code: 'ECONNREFUSED' })],
    ['a server that shuts down', failure({ code: '57P01' })],
    ['a server that starts', failure({ code: '57P03' })],
    ['a lost connection', failure({ code: '08006' })],
    ['a driver whose connection ended', new Error('Connection terminated unexpectedly')],
    ['a pool that waited for one', new Error('timeout exceeded when trying to connect')],
    ['one wrapped by a mapper', failure({}, failure({ code: 'ECONNRESET' }))],
  ])('knows %s', (_, error) => {
    expect(isOutage(error)).toBe(true);
  });

  it.each([
    ['a violated constraint', failure({ code: '23505' })],
    ['a serialization failure', failure({ code: '40001' })],
    ['a bug', new TypeError('x is not a function')],
    ['no error at all', 'ECONNREFUSED'],
  ])('does not take %s for one', (_, error) => {
    expect(isOutage(error)).toBe(false);
  });
});
