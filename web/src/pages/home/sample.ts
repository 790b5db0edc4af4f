/** A sample request to paste into a terminal. */
export const curlSample = (server: string): string =>
  [
    `curl ${server.replace(/\/+$/, '')}/v1/chat/completions \\`,
    `  -H "Authorization: Bearer sk-..." -H "Content-Type: application/json" \\`,
    `  -d '{"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hello"}]}'`,
  ].join('\n');
