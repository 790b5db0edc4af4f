import type { Harm } from './reconcile-site.js';

/** Changes of wallets, tokens, leases, redemption codes and the postings about them. */
export const harmsOfAccounts: Harm[] = [
  ['a posting removed', 'billing.posting', `delete from billing.posting where id = 'ID'`, 'ID'],
  [
    'a posting with another amount',
    'billing.posting',
    `update billing.posting set amount = amount + 1 where id = 'ID'`,
    'ID',
  ],
  [
    'a posting doubled under another id',
    'billing.posting',
    `insert into billing.posting select gen_random_uuid(), code, debit, credit, amount, user_id, token_id, reference, price_version, replica_epoch, actor_id, reason, booked_at from billing.posting where id = 'ID'`,
    /wallet:/,
  ],
  [
    'a posting moved to another user',
    'billing.posting',
    `update billing.posting set user_id = 1, debit = 'wallet:1' where id = 'ID'`,
    'ID',
  ],
  [
    'a posting that names another wallet',
    'billing.posting',
    `update billing.posting set debit = 'wallet:1' where id = 'ID'`,
    'ID',
  ],
  [
    'a movement without its key',
    'billing.posting_key',
    `delete from billing.posting_key where code = 'redemption'`,
    /-/,
  ],
  [
    'a movement whose key names another posting',
    'billing.posting_key',
    `update billing.posting_key set posting_id = (select id from billing.posting where code = 'admin-adjustment' limit 1) where code = 'redemption'`,
    /^[0-9a-f-]{36}$/,
  ],
  [
    'a movement whose key has another name',
    'billing.posting_key',
    `update billing.posting_key set reference = reference || '0' where code = 'redemption'`,
    /^[0-9a-f-]{36}$/,
  ],
  [
    'a movement with two keys',
    'billing.posting_key',
    `insert into billing.posting_key (code, reference, posting_id) select code, reference || '0', posting_id from billing.posting_key where code = 'redemption'`,
    /^[0-9a-f-]{36}$/,
  ],
  [
    'an adjustment of another amount',
    'billing.posting',
    `update billing.posting set amount = amount + 5 where code = 'admin-adjustment'`,
    /wallet:/,
  ],
  [
    'a wallet with other credit',
    'billing.account',
    `update billing.account set credit = credit + 1 where user_id = 2`,
    'wallet:2',
  ],
  ['a wallet removed', 'billing.account', `delete from billing.account where user_id = 2`, 'wallet:2'],
  [
    'a wallet of nobody',
    'billing.account',
    `insert into billing.account (user_id, credit) values (999, 5)`,
    'wallet:999',
  ],
  [
    'spending moved between wallets',
    'billing.account',
    `update billing.account set spent = spent + case user_id when 2 then -5 else 5 end`,
    'wallet:1',
  ],
  ['a token with other spending', 'billing.token', `update billing.token set spent = spent - 1`, /token:/],
  [
    'a token doubled',
    'billing.token',
    `insert into billing.token (id, user_id, name, key_hash, key_sealed, key_hint, created_time, spent) overriding system value
       select 999, user_id, name, 'another hash', key_sealed, key_hint, created_time, spent from billing.token limit 1`,
    'token:999',
  ],
  ['a token removed', 'billing.token', `delete from billing.token`, /^token:/],
  ['a token moved to another user', 'billing.token', `update billing.token set user_id = 1`, /^token:/],
  ['a movement removed', 'billing.posting', `delete from billing.posting where code = 'redemption'`, /^code:/],
  [
    'a movement moved to another user',
    'billing.posting',
    `update billing.posting set user_id = 1, credit = 'wallet:1' where code = 'redemption'`,
    /^code:/,
  ],
  [
    'a correction moved to another user',
    'billing.posting',
    `update billing.posting set user_id = 1, token_id = 0, debit = replace(debit, 'wallet:2', 'wallet:1') where code = 'correction'`,
    /^[0-9a-f-]{36}$/,
  ],
  [
    'a lease moved to another wallet',
    'billing.lease',
    `update billing.lease set account_id = 1 where kind = 'wallet' and account_id = 2`,
    /wallet:1 lent to/,
  ],
  [
    'a lease doubled',
    'billing.lease',
    `insert into billing.lease (kind, account_id, replica_epoch, granted, booked)
       select kind, account_id, 'another run', 900, 900 from billing.lease where kind = 'wallet' and account_id = 2 limit 1`,
    'wallet:2 lent to another run',
  ],
  [
    'a lease with other bookings',
    'billing.lease',
    `update billing.lease set booked = booked + 1000000, granted = granted + 1000000`,
    /wallet:2 lent to/,
  ],
  [
    'quota held by no lease',
    'billing.account',
    `update billing.account set held = held + 7 where user_id = 2`,
    'wallet:2',
  ],
  ['a redeemed code that was not used', 'billing.redemption', `update billing.redemption set status = 1`, /^code:/],
  [
    'a code redeemed by somebody else',
    'billing.redemption',
    `update billing.redemption set used_user_id = 1`,
    /^code:/,
  ],
  [
    'a used code doubled',
    'billing.redemption',
    `insert into billing.redemption (id, user_id, name, key_hash, key_sealed, quota, created_time, status, used_user_id) overriding system value
       select 999, user_id, name, 'another hash', key_sealed, quota, created_time, status, used_user_id from billing.redemption where status = 3`,
    'code:999',
  ],
  ['a code removed', 'billing.redemption', `delete from billing.redemption`, /^code:/],
  ['a code of another amount', 'billing.redemption', `update billing.redemption set quota = quota + 1`, /^code:/],
];
