import { describe, expect, it } from '@jest/globals';
import { type Host, type OutboundClient, type OutboundRequest, productVersion } from '@tollgate/chassis';
import { isNewer, Releases } from './releases.js';

describe('isNewer', () => {
  it.each([
    ['v1.2.3', '1.2.3', false],
    ['v1.2.4', '1.2.3', true],
    ['1.10.0', '1.9.9', true],
    ['v1.2', '1.2.3', false],
    ['v2.0', '1.9.9', true],
    ['v0.9.0', '1.0.0', false],
    ['nightly', '1.0.0', true],
  ])('release %s is newer than version %s: %s', (tag, version, newer) => {
    expect(isNewer(tag, version)).toBe(newer);
  });
});

const URL_OF_RELEASES = 'https://releases.example/latest';

function releasesThatAnswer(status: number, body: string, url: string | null = URL_OF_RELEASES) {
  const asked: OutboundRequest[] = [];
  const send = (request: OutboundRequest) => {
    asked.push(request);
    return Promise.resolve({ status, body: Buffer.from(body), headers: {} });
  };
  const host = { env: { TOLLGATE_RELEASES_URL: url ?? undefined } } as Host;
  return { releases: new Releases(host, { send } as unknown as OutboundClient), asked };
}

const newest = { tag_name: 'v999.0.0', body: 'What is new', html_url: 'https://releases.example/v999' };

describe('the list of releases', () => {
  it.each([newest, [newest, { tag_name: 'v1.0.0' }]])(
    'is read from a single release or an array of releases',
    async (body) => {
      const { releases, asked } = releasesThatAnswer(200, JSON.stringify(body));
      expect(await releases.newest()).toEqual({
        version: productVersion,
        tag: 'v999.0.0',
        newer: true,
        notes: 'What is new',
        url: newest.html_url,
      });
      expect(asked).toMatchObject([{ kind: 'admin', url: URL_OF_RELEASES }]);
    },
  );

  it.each([
    [404, JSON.stringify(newest)],
    [200, '<html>'],
    [200, '[]'],
    [200, '{"tag_name":""}'],
    [200, JSON.stringify({ ...newest, html_url: 'javascript:alert(1)' })],
  ])('is refused with the documented message for the reply %d %s', async (status, body) => {
    const { releases } = releasesThatAnswer(status, body);
    await expect(releases.newest()).rejects.toMatchObject({ message: '检查更新失败，请稍后再试' });
  });

  it('is not fetched unless the installation configures an address for it', async () => {
    const { releases, asked } = releasesThatAnswer(200, JSON.stringify(newest), null);
    await expect(releases.newest()).rejects.toMatchObject({ code: 'releases-unset' });
    expect(asked).toEqual([]);
  });
});
