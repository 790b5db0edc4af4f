import { describe, expect, it } from '@jest/globals';
import { RequestRejected } from '../faults/request-faults.js';
import { modelPath } from './model-path.js';

describe('modelPath', () => {
  it.each([
    ['m1.5', 'm1.5'],
    ['@cf/meta/llama-3.1', '@cf/meta/llama-3.1'],
    ['org/model:free', 'org/model:free'],
    ['a b?c#d&e\\f%2e', 'a%20b%3Fc%23d%26e%5Cf%252e'],
    ['...', '...'],
    ['千问', '%E5%8D%83%E9%97%AE'],
  ])('writes %s as %s', (model, path) => {
    expect(modelPath(model)).toBe(path);
  });

  it.each(['..', '.', 'gpt-4o-gizmo-g/../../keys', 'a/./b', '../a', 'a/..', 'gpt-4o-gizmo-\ud800'])(
    'refuses %s',
    (model) => {
      expect(() => modelPath(model)).toThrow(RequestRejected);
    },
  );
});
