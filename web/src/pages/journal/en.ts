export const texts = {
  title: 'Journal',
  purpose:
    'Every movement of quota from one account to another. Rows are only added, and a correction is a new row. Pages reach 10,000 rows back; filter or export for older ones.',
  from: 'From',
  to: 'To',
  user: 'User id',
  token: 'Token id',
  actor: 'Actor id',
  referenceHint: 'Request or order',
  emptyBody: 'Calls, payments, codes and adjustments show here once they are booked.',
} as const;
