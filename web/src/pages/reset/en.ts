export const texts = {
  title: 'Reset password',
  intro: 'Enter the address of your account. We send a link for a new password.',
  email: 'E-mail address',
  submit: 'Submit',
  again: 'Retry ({{left}})',
  missing: 'Enter your e-mail address',
  incomplete: 'Enter a complete e-mail address, such as name@example.com',
  sent: 'Look into your inbox: the mail is on its way. If no account has this address, the mail says so; a link is valid for 10 minutes.',
  toLogin: 'Back to login',
} as const;
