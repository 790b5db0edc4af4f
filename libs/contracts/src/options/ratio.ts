import { defaultGroupRatio, defaultUserUsableGroups } from './defaults/groups-and-chats.js';
import { defaultModelPrice } from './defaults/model-price.js';
import { defaultModelRatio } from './defaults/model-ratio.js';
import { defaultCacheRatio, defaultCompletionRatio, defaultImageRatio } from './defaults/token-ratios.js';
import { groupGroupRatios, groupNames, groupRatios, modelNumbers } from './json-schemas.js';
import { option } from './option.js';

const group = { minRole: 10, card: 'operation.group' } as const;
const ratio = { minRole: 10, card: 'operation.ratio' } as const;
const json = (table: object): string => JSON.stringify(table, undefined, 2);

/** The price tables. Saving one replaces it completely; it is not merged with the defaults. */
export const ratioOptions = {
  GroupRatio: option({ ...group, schema: groupRatios, default: json(defaultGroupRatio) }),
  GroupGroupRatio: option({ ...group, schema: groupGroupRatios, default: '{}' }),
  UserUsableGroups: option({ ...group, schema: groupNames, default: json(defaultUserUsableGroups) }),

  ModelPrice: option({ ...ratio, schema: modelNumbers, default: json(defaultModelPrice) }),
  ModelRatio: option({ ...ratio, schema: modelNumbers, default: json(defaultModelRatio) }),
  CacheRatio: option({ ...ratio, schema: modelNumbers, default: json(defaultCacheRatio) }),
  CompletionRatio: option({ ...ratio, schema: modelNumbers, default: json(defaultCompletionRatio) }),
  ImageRatio: option({ ...ratio, schema: modelNumbers, default: json(defaultImageRatio) }),
};
