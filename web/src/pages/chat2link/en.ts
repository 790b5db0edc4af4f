export const texts = {
  stuck: 'If nothing opens, use the button below.',
};
