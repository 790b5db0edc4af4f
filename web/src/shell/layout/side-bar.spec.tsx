import { describe, expect, it } from '@jest/globals';
import { screen } from '@testing-library/react';
import { texts as zh } from '../../app/i18n/zh.js';
import { success } from '../../testing/fake-fetch.js';
import { renderPage, root } from '../../testing/render-page.js';

describe('the sidebar', () => {
  it.each([
    ['open', 'false'],
    ['collapsed', 'true'],
  ])('tells screen readers how many approvals wait, when it is %s', async (_, collapsed) => {
    await renderPage('/about', {
      user: root,
      stored: { default_collapse_sidebar: collapsed },
      replies: { 'GET /api/approval/pending': success({ for_me: 3 }) },
    });
    const name = zh.shell.waiting.replace('{{name}}', zh.nav.approval).replace('{{count}}', '3');
    expect(await screen.findByRole('link', { name })).toBeTruthy();
  });
});
