/** 1 user, 10 administrator, 100 super administrator; 0 is a visitor, in tables of permissions. */
export const Role = { visitor: 0, user: 1, admin: 10, root: 100 } as const;
export type Role = (typeof Role)[keyof typeof Role];

/** `banned` is the specification's status 2; a user with status 3 cannot be re-enabled. */
export const UserStatus = { enabled: 1, banned: 2, locked: 3 } as const;

export const ChannelStatus = { enabled: 1, disabled: 2, autoDisabled: 3 } as const;
export const TokenStatus = { enabled: 1, disabled: 2, expired: 3, exhausted: 4 } as const;
export const RedemptionStatus = { unused: 1, disabled: 2, used: 3 } as const;
/** 0 is a filter. A refund has the type of its cause here; the number 6 is known to clients of other gateways. */
export const LogType = { all: 0, topUp: 1, consume: 2, manage: 3, system: 4, error: 5, refund: 6 } as const;
export type LogType = (typeof LogType)[keyof typeof LogType];

export const isAdmin = (role: number): boolean => role >= Role.admin;
export const isRoot = (role: number): boolean => role >= Role.root;
