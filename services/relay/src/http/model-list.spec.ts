import { describe, expect, it } from '@jest/globals';
import type { TokenRecord } from '@tollgate/contracts';
import { checkModelLimit } from '../access/gatekeeper.js';
import { callableModels } from './model-list.js';

const limitedTo = (...modelLimits: string[]): TokenRecord => ({ modelLimitsEnabled: true, modelLimits }) as TokenRecord;
const unlimited = { modelLimitsEnabled: false, modelLimits: ['gpt-4o'] as string[] } as TokenRecord;
const family = 'gpt-4-gizmo-*';
const member = 'gpt-4-gizmo-g-abc';

describe('the models that a key may call', () => {
  it.each([
    ['no limit', unlimited, ['gpt-4o', family], ['gpt-4-gizmo-*', 'gpt-4o']],
    ['a limit to nothing', limitedTo(), ['gpt-4o', family], []],
    ['a limit to a model, and to one that nobody serves', limitedTo('gpt-4o', 'o9'), ['gpt-4o', family], ['gpt-4o']],
    ['a limit to a family', limitedTo(family), ['gpt-4o', family], [family]],
    ['a limit to a family, of which one member has a channel', limitedTo(family), [member], [member]],
    ['a limit to a member of a family', limitedTo(member), ['gpt-4o', family], [member]],
    ['a limit to a member with a channel of its own', limitedTo(member), [member, family], [member]],
  ])('are listed for %s, and none of them is refused', (_, token, routed, listed) => {
    expect(callableModels(token, routed)).toEqual(listed);
    for (const model of listed) expect(() => checkModelLimit(token, model)).not.toThrow();
  });

  it('are all of a family that the limit names, and no other member than the named one', () => {
    expect(() => checkModelLimit(limitedTo(family), member)).not.toThrow();
    expect(() => checkModelLimit(limitedTo(member), 'gpt-4-gizmo-g-xyz')).toThrow(
      expect.objectContaining({ error: expect.objectContaining({ code: 'model_not_allowed' }) }),
    );
  });
});
