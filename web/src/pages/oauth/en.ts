export const texts = {
  title: 'Third-party login',
  working: 'Working...',
  retrying_one: 'Something went wrong, retry {{count}}...',
  retrying_other: 'Something went wrong, retry {{count}}...',
  signedIn: 'Signed in',
  bound: 'Account bound',
  failed: 'That failed. Going back to the sign-in page...',
  nothing: 'Sign-in services send you back to this address. Begin at the sign-in page.',
  again: 'Begin again',
  back: 'Back to login',
} as const;
