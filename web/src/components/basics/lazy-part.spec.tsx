import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { act, render, screen } from '@testing-library/react';
import { Suspense } from 'react';
import { NewVersion, entryOf } from '../../shell/new-version.js';
import { startI18n } from '../../app/i18n/index.js';
import { loadDictionary } from '../../shell/dictionaries.js';
import { texts as zh } from '../../app/i18n/zh.js';
import { Boundary } from '../feedback/boundary.js';
import { lazyPart } from './lazy-part.js';

const gone = () => Promise.reject(new TypeError('Failed to fetch dynamically imported module'));
const Part = () => <p>part</p>;

function show(load: () => Promise<typeof Part>) {
  const Lazy = lazyPart(load);
  render(
    <>
      <NewVersion />
      <p>page</p>
      <Suspense fallback={null}>
        <Lazy />
      </Suspense>
    </>,
  );
}

describe('a lazy part whose file fails to load', () => {
  afterEach(() => void jest.useRealTimers());

  it('keeps the page, which reports a new version', async () => {
    await startI18n(loadDictionary, 'zh');
    jest.useFakeTimers();
    show(gone);
    await act(() => jest.advanceTimersByTimeAsync(2000));
    expect(screen.getByText('page')).toBeTruthy();
    expect(screen.getByText(zh.shell.newVersion)).toBeTruthy();
    expect(screen.getByRole('button', { name: zh.action.reload })).toBeTruthy();
  });

  it('is requested twice, in case of a network failure', async () => {
    jest.useFakeTimers();
    let asked = 0;
    show(() => (++asked === 1 ? gone() : Promise.resolve(Part)));
    await act(() => jest.advanceTimersByTimeAsync(2000));
    expect(screen.getByText('part')).toBeTruthy();
    expect(screen.queryByText(zh.shell.newVersion)).toBeNull();
  });
});

it('a part that fails leaves the rest of the page', () => {
  const silent = jest.spyOn(console, 'error').mockImplementation(() => undefined);
  const Broken = (): never => {
    throw new Error('broken');
  };
  render(
    <>
      <p>page</p>
      <Boundary>
        <Broken />
      </Boundary>
    </>,
  );
  expect(screen.getByText('page')).toBeTruthy();
  silent.mockRestore();
});

it('the first script of a page identifies the version', () => {
  expect(entryOf('<head><script type="module" crossorigin src="/assets/index-aB1.js"></script>')).toBe(
    '/assets/index-aB1.js',
  );
  expect(entryOf('<p>sign in at the proxy first</p>')).toBeUndefined();
});
