import { describe, expect, it } from '@jest/globals';
import { fireEvent, screen } from '@testing-library/react';
import { refusal, success } from '../../testing/fake-fetch.js';
import { renderPage, root } from '../../testing/render-page.js';
import { texts as zh } from './zh.js';

const release = {
  version: '0.1.0',
  tag: 'v2.0.0',
  newer: true,
  notes: '# Heading\n\nWhat is new',
  url: 'https://releases.example/v2',
};

async function check(reply: unknown) {
  const page = await renderPage('/setting?tab=other', {
    user: root,
    replies: { 'GET /api/option/': success([]), 'GET /api/status/update': reply },
  });
  const button = await screen.findByRole('button', { name: zh.info.check });
  expect(page.network.of('GET', '/api/status/update')).toEqual([]);
  fireEvent.click(button);
  return page;
}

describe('checking for updates', () => {
  it('shows the notes of a newer version, on request', async () => {
    const { network } = await check(success(release));
    expect(await screen.findByRole('dialog', { name: zh.info.newer.replace('{{tag}}', release.tag) })).toBeTruthy();
    await screen.findByText('What is new');
    expect(screen.getByRole('link', { name: zh.info.details }).getAttribute('href')).toBe(release.url);
    expect(network.of('GET', '/api/status/update')).toHaveLength(1);
  });

  it('says that the version is the latest', async () => {
    await check(success({ ...release, newer: false }));
    expect(await screen.findByText(zh.info.latest.replace('{{tag}}', release.tag))).toBeTruthy();
  });

  it('says that the check failed', async () => {
    await check(refusal('No releases there', 'releases-unreadable'));
    expect(await screen.findByText('No releases there')).toBeTruthy();
  });
});
