export const texts = {
  title: 'About',
  product: '{{name}} {{version}}: an AI model gateway with a wallet.',
  loadFailed: 'The page could not be loaded',
  hint: 'What stands here can be written in the settings, as HTML or Markdown',
  write: 'Write this page',
} as const;
