export const texts = {
  oidc: {
    discover: 'Fetch OIDC configuration',
    address: 'The well-known URL must begin with http:// or https://',
    found: 'The endpoints are filled in. Check and save them.',
    register: 'Home page: {{home}}. Redirect URL: {{callback}}',
  },
  info: {
    version: 'Version',
    started: 'Started',
    check: 'Check for updates',
    latest: 'This is the latest version: {{tag}}',
    newer: 'New version: {{tag}}',
    notes: 'No release notes',
    details: 'Details',
  },
} as const;
