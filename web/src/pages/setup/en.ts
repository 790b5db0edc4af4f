export const texts = {
  title: 'System setup',
  purpose: 'Create the administrator and choose how the system is used. You are logged in afterwards.',
  purposeGoOn: 'The administrator exists. Choose how the system is used, then log in with that account.',
  submit: 'Set up system',
  done: 'The system is set up. Opening the first page…',
  database: {
    title: 'Database warning',
    persistence:
      'The database is SQLite. In a container, its file must be on a mounted volume, or all data is lost when the container restarts.',
    production: 'In production, use MySQL or PostgreSQL, or keep the SQLite file on persistent storage of the host.',
  },
  token: {
    title: 'Security check',
    label: 'Set-up token',
    why: 'This page was not opened on the machine that runs the system. So that nobody else can set it up before you, enter the one-time token that it printed at its start.',
    where: 'On the line “set-up token” of the output or log of the start, or your value of TOLLGATE_SETUP_TOKEN',
  },
  admin: {
    title: 'Administrator',
    username: 'Username',
    usernameHint: "Enter the administrator's username",
    password: 'Password',
    passwordHint: "Enter the administrator's password",
    confirm: 'Confirm password',
    confirmHint: 'Enter the password again',
    exists: 'The administrator exists already. Go on with the system settings.',
  },
  system: { title: 'System settings' },
  mode: {
    label: 'Usage mode',
    hint: 'Can be changed later',
    help: 'The usage modes explained',
    external: {
      name: 'External operation',
      consequence: 'For several users, charged by usage. Every model needs a price, or users cannot call it.',
      explanation:
        'The default, for serving several users. All usage is metered and booked, so every model needs a price or a ratio; a model without one is refused.',
    },
    self: {
      name: 'Self-use',
      consequence: 'Only for yourself. Models work without a price, and registration is closed.',
      explanation:
        'For personal use. Models without a price can be called and are metered at a default ratio; new users cannot register and no menu offers it.',
    },
    demo: {
      name: 'Demo site',
      consequence: 'For showing the features. A demo badge appears on every page.',
      explanation:
        'For showing the features. Charging works as in external operation; a “Demo site” badge stands beside the system name.',
    },
  },
  error: {
    token: 'Enter the set-up token',
    username: "Enter the administrator's username",
    password: 'The password needs at least 8 characters',
    confirm: 'The passwords differ',
    failed: 'The system was not set up. Try again.',
    status: 'Whether the system is set up could not be asked',
  },
} as const;
