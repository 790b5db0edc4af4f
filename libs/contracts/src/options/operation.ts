import { defaultChats } from './defaults/groups-and-chats.js';
import { chats } from './json-schemas.js';
import { option } from './option.js';
import { decimal, flag, integer, lines, oneOf, optionalInteger } from './text-schemas.js';

const general = { minRole: 10, card: 'operation.general' } as const;
const sensitive = { minRole: 10, card: 'operation.sensitive' } as const;
const dashboard = { minRole: 10, card: 'operation.dashboard' } as const;
const monitor = { minRole: 10, card: 'operation.monitor' } as const;
/** Only for the super administrator: administrators who are subject to a limit must not be able to remove it. */
const fourEyes = { minRole: 100, card: 'operation.four-eyes' } as const;
const quota = { minRole: 10, card: 'operation.quota' } as const;

/** Far above a million dollars at the default rate, and far below the largest safe integer. */
const MAX_QUOTA = 1_000_000_000_000;

/** Minutes of a week. */
const LONGEST_FREQUENCY = 10_080;

const disableKeywords = [
  'Your credit balance is too low',
  'This organization has been disabled.',
  'You exceeded your current quota',
  'Permission denied',
  'The security token included in the request is invalid',
  'Operation not allowed',
  'Your account is not authorized',
];

export const operationOptions = {
  /** Units per USD. */
  QuotaPerUnit: option({ ...general, schema: decimal(1, 100_000_000), default: '500000', inStatus: true }),
  RetryTimes: option({ ...general, schema: integer(0, 10), default: '0' }),
  DisplayInCurrencyEnabled: option({ ...general, schema: flag, default: 'true', inStatus: true }),
  /** The billing view of a token shows the token's budget; if off, its owner's wallet. */
  DisplayTokenStatEnabled: option({ ...general, schema: flag, default: 'true' }),
  DefaultCollapseSidebar: option({ ...general, schema: flag, default: 'false', inStatus: true }),
  DemoSiteEnabled: option({ ...general, schema: flag, default: 'false', inStatus: true }),
  /** Closes registration, and allows models without a price. */
  SelfUseModeEnabled: option({ ...general, schema: flag, default: 'false', inStatus: true }),
  /** Number of stream chunks held back while replies are checked for sensitive words. */
  StreamCacheQueueLength: option({ ...general, schema: integer(0, 10_000), default: '0' }),
  Chats: option({
    schema: chats,
    default: JSON.stringify(defaultChats, undefined, 2),
    minRole: 10,
    inStatus: true,
    card: 'operation.chat',
  }),

  CheckSensitiveEnabled: option({ ...sensitive, schema: flag, default: 'true' }),
  CheckSensitiveOnPromptEnabled: option({ ...sensitive, schema: flag, default: 'true' }),
  CheckSensitiveOnCompletionEnabled: option({ ...sensitive, schema: flag, default: 'false' }),
  StopOnSensitiveEnabled: option({ ...sensitive, schema: flag, default: 'true' }),
  SensitiveWords: option({ ...sensitive, schema: lines, default: 'test_sensitive' }),

  LogConsumeEnabled: option({ schema: flag, default: 'true', minRole: 10, card: 'operation.log' }),
  DataExportEnabled: option({ ...dashboard, schema: flag, default: 'true', inStatus: true }),
  /** Minutes. */
  DataExportInterval: option({ ...dashboard, schema: integer(1, 1440), default: '5', inStatus: true }),
  DataExportDefaultTime: option({
    ...dashboard,
    schema: oneOf('hour', 'day', 'week'),
    default: 'hour',
    inStatus: true,
  }),

  /** Time limit of a channel test in seconds; 0 for none. */
  ChannelDisableThreshold: option({ ...monitor, schema: decimal(0, 10_000), default: '5' }),
  AutomaticDisableChannelEnabled: option({ ...monitor, schema: flag, default: 'false' }),
  AutomaticEnableChannelEnabled: option({ ...monitor, schema: flag, default: 'false' }),
  AutomaticDisableKeywords: option({ ...monitor, schema: lines, default: disableKeywords.join('\n') }),
  /** Minutes between tests of all channels; 0 for none, empty for the value of the variable CHANNEL_TEST_FREQUENCY. */
  ChannelTestFrequency: option({ ...monitor, schema: optionalInteger(0, LONGEST_FREQUENCY), default: '' }),
  /** Minutes between updates of all channels' balances; empty for the value of CHANNEL_UPDATE_FREQUENCY. */
  ChannelUpdateFrequency: option({ ...monitor, schema: optionalInteger(0, LONGEST_FREQUENCY), default: '' }),
  QuotaRemindThreshold: option({ ...monitor, schema: integer(0, MAX_QUOTA), default: '1000' }),

  QuotaForNewUser: option({ ...quota, schema: integer(0, MAX_QUOTA), default: '0' }),
  QuotaForInviter: option({ ...quota, schema: integer(0, MAX_QUOTA), default: '0' }),
  QuotaForInvitee: option({ ...quota, schema: integer(0, MAX_QUOTA), default: '0' }),
  /** Completion tokens that a hold assumes for a request without max_tokens. */
  PreConsumedQuota: option({ ...quota, schema: integer(0, 10_000_000), default: '500' }),
  /**
   * Whether a model that searches before every answer is charged one search per call in addition to its tokens, even if no search was
   * requested. Requested searches are always charged.
   */
  ChargeUnaskedSearchEnabled: option({ ...quota, schema: flag, default: 'true' }),

  /** Units above which an administrator's change of a wallet or token budget requires a second administrator; 0 for never. */
  AdjustmentApprovalLimit: option({ ...fourEyes, schema: integer(0, MAX_QUOTA), default: '0' }),
  /** Units above which a refund of a paid order requires a second administrator; 0 for never. */
  RefundApprovalLimit: option({ ...fourEyes, schema: integer(0, MAX_QUOTA), default: '0' }),
};
