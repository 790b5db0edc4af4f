import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { act, fireEvent, render, screen } from '@testing-library/react';
import { Suspense } from 'react';
import { NewVersion, entryOf } from '../../shell/new-version.js';
import { startI18n } from '../../app/i18n/index.js';
import { loadDictionary } from '../../shell/dictionaries.js';
import { texts as zh } from '../../app/i18n/zh.js';
import { Boundary } from '../feedback/boundary.js';
import { lazyPart } from './lazy-part.js';

const gone = () => Promise.reject(new TypeError('Failed to fetch dynamically imported module'));
const Part = () => <p>part</p>;
const Dialog = ({ onClose }: { onClose: () => void }) => <button onClick={onClose}>dialog</button>;

const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }));
const settle = () => act(() => jest.advanceTimersByTimeAsync(2000));

async function show(load: () => Promise<typeof Part>): Promise<void> {
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
  await settle();
}

/** Fails as often as told, then loads. Returns how often it was called. */
function failing<T>(times: number, part: T): { load: () => Promise<T>; calls: () => number } {
  let calls = 0;
  return { load: () => (++calls <= times ? gone() : Promise.resolve(part)), calls: () => calls };
}

describe('a lazy part whose file fails to load', () => {
  beforeAll(() => startI18n(loadDictionary, 'zh'));
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('keeps the page, says in its place that it did not load, and offers to reload', async () => {
    await show(gone);
    expect(screen.getByText('page')).toBeTruthy();
    expect(screen.getByRole('alert').textContent).toContain(zh.state.missingPart);
    expect(screen.getByRole('button', { name: zh.action.reload })).toBeTruthy();
  });

  it('is requested twice, in case of a network failure', async () => {
    await show(failing(1, Part).load);
    expect(screen.getByText('part')).toBeTruthy();
    expect(screen.queryByRole('alert')).toBeNull();
  });

  it('is requested again when the user wants it', async () => {
    await show(failing(2, Part).load);
    press(zh.action.retry);
    await settle();
    expect(screen.getByText('part')).toBeTruthy();
    expect(screen.queryByRole('alert')).toBeNull();
  });

  it('is requested again when it is opened again, and never without being asked for', async () => {
    const { load, calls } = failing(2, Dialog);
    const Lazy = lazyPart(load);
    const close = jest.fn();
    const dialog = () => (
      <Suspense fallback={null}>
        <Lazy onClose={close} />
      </Suspense>
    );
    const view = render(dialog());
    await settle();
    expect(calls()).toBe(2);
    press(zh.action.close);
    expect(close).toHaveBeenCalledTimes(1);
    view.rerender(<p>page</p>);
    view.rerender(dialog());
    await settle();
    expect(screen.getByRole('button', { name: 'dialog' })).toBeTruthy();
    expect(calls()).toBe(3);
  });

  it('may have something else in its place', async () => {
    const Lazy = lazyPart<{ text: string }>(gone, { instead: ({ text }) => <p>{text}</p> });
    render(
      <Suspense fallback={null}>
        <Lazy text="plain" />
      </Suspense>,
    );
    await settle();
    expect(screen.getByText('plain')).toBeTruthy();
    expect(screen.queryByRole('alert')).toBeNull();
  });
});

describe('the notice of a new version, when a file fails to load', () => {
  const script = document.createElement('script');
  const fetched = jest.spyOn(globalThis, 'fetch');
  beforeAll(async () => {
    await startI18n(loadDictionary, 'zh');
    script.setAttribute('type', 'module');
    script.setAttribute('src', '/assets/index-old.js');
    document.head.append(script);
  });
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it.each([
    ['is shown when the server has another version', '/assets/index-new.js', true],
    ['is not shown when only the network failed', '/assets/index-old.js', false],
  ])('%s', async (_, entry, expected) => {
    fetched.mockResolvedValue(new Response(`<script type="module" crossorigin src="${entry}"></script>`));
    await show(gone);
    expect(screen.queryByText(zh.shell.newVersion) !== null).toBe(expected);
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
