import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { AppError } from '@tollgate/chassis';
import { isPoison } from './failure-class.js';

const sqlError = (code: string): Error => Object.assign(new Error('sql'), { code });
const caused = (cause: Error): Error => new Error('wrapped', { cause });

describe('isPoison', () => {
  it.each([
    ['a value the column refuses', sqlError('22001')],
    ['a number beyond its column', sqlError('22003')],
    ['a NUL in JSON', caused(sqlError('22P05'))],
    ['bytes that are no text', sqlError('22021')],
    ['a text no index can hold', sqlError('54000')],
    ['two rows for one', sqlError('21000')],
    ['a violated constraint, wrapped by the ORM', caused(sqlError('23505'))],
    ['data that breaks a schema', z.string().safeParse(5).error],
    ['a rule that will not change', new AppError('invalid', 'x', 'x')],
    ['a bug the event brings out', new TypeError('undefined is not a function')],
  ])('takes %s for poison', (_, error) => {
    expect(isPoison(error)).toBe(true);
  });

  it.each([
    ['a server that shuts down', sqlError('57P01')],
    ['a deadlock', sqlError('40P01')],
    ['a serialization failure, wrapped by the ORM', caused(sqlError('40001'))],
    ['a statement that took too long', sqlError('57014')],
    ['too many connections', sqlError('53300')],
    ['a disk that is full', sqlError('53100')],
    ['a refused connection', sqlError('ECONNREFUSED')],
    ['a call to a service that is away', new AppError('unavailable', 'x', 'x', { cause: new TypeError('inner') })],
    ['a failed fetch', new TypeError('fetch failed', { cause: sqlError('ECONNRESET') })],
    ['anything unknown', new Error('?')],
    ['what is no error', 'text'],
  ])('takes %s for an outage', (_, error) => {
    expect(isPoison(error)).toBe(false);
  });
});
