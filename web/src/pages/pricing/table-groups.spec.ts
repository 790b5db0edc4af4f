import { describe, expect, it } from '@jest/globals';
import { fittingGroups } from './table-groups.js';

describe('the groups of a model in a table', () => {
  const many = ['beta', 'default', 'gold', 'silver', 'vip'];

  it('are all shown, in their order, where they fit', () => {
    expect(fittingGroups(['default', 'vip'], 'vip', 112)).toEqual(['default', 'vip']);
    expect(fittingGroups(many, 'vip', 500)).toEqual(many);
    expect(fittingGroups([], 'vip', 10)).toEqual([]);
  });

  it('begin with the viewed one where they do not, as many as fit beside the button for the others', () => {
    expect(fittingGroups(many, 'vip', 112)).toEqual(['vip']);
    expect(fittingGroups(many, 'vip', 130)).toEqual(['vip', 'beta']);
    expect(fittingGroups(many, 'none', 112)).toEqual(['beta']);
  });

  it('are at least one, however narrow the column is', () => {
    expect(fittingGroups(['a-group-with-a-name', 'vip'], 'a-group-with-a-name', 20)).toEqual(['a-group-with-a-name']);
  });
});
