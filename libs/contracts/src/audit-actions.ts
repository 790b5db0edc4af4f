/**
 * What an entry of the audit log reports: a kind and a verb. The names are stored for ever and filtered by, so none may
 * change; that some verbs are participles is history. A new one is an infinitive (`redemption-create`).
 */
export type AuditAction =
  | 'abilities-rebuilt'
  | `approval-${'approve' | 'close' | 'refuse' | 'request' | 'withdraw'}`
  | `channel-${'balance' | 'cost' | 'created' | 'deleted' | 'disabled' | 'enabled' | 'key-switched' | 'test' | 'updated'}`
  | 'channels-tagged'
  | 'charges-correct'
  | 'invoice-import'
  | `log-${'clear' | 'cleared'}`
  | 'option-update'
  | 'period-close'
  | 'price-publish'
  | 'quota-adjust'
  | `redemption-${'create' | 'delete' | 'status' | 'update'}`
  | `tag-${'disabled' | 'enabled' | 'updated'}`
  | `token-${'budget' | 'create' | 'delete' | 'status' | 'update'}`
  | 'top-up-refund'
  | `user-${'create' | 'delete' | 'demote' | 'disable' | 'enable' | 'promote' | 'unbind' | 'update'}`
  | `user-${'end-sessions' | 'erase' | 'export' | 'let-in' | 'remove-factors'}`;
