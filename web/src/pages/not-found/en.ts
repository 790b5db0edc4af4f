export const texts = { title: 'Page not found', body: 'Check the address in your browser' } as const;
