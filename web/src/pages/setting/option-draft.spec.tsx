import { beforeAll, expect, it } from '@jest/globals';
import { fireEvent, render, screen } from '@testing-library/react';
import { Profiler, memo } from 'react';
import { Provider } from 'react-redux';
import { MemoryRouter } from 'react-router-dom';
import i18n from 'i18next';
import type { Options } from '../../api/option.api.js';
import { startI18n } from '../../app/i18n/index.js';
import { signedIn } from '../../app/slices/session.js';
import { createStore } from '../../app/store.js';
import { loadDictionary } from '../../shell/dictionaries.js';
import { root } from '../../testing/render-page.js';
import { DraftProvider, useNewDraft } from './option-draft.js';
import { OptionField } from './option-field.js';
import type { SettingField } from './setting-fields.js';
import { texts as zh } from './zh.js';

const fields: SettingField[] = [
  { key: 'RetryTimes', kind: 'integer' },
  { key: 'TopUpLink', kind: 'line' },
  { key: 'ModelPrice', kind: 'json' },
];
const stored = (value: string, revision = 1) => ({ value, revision, isSet: true });

const draws = new Map<string, number>();
const count = (id: string) => void draws.set(id, (draws.get(id) ?? 0) + 1);

const Counted = memo(({ field }: { field: SettingField }) => (
  <Profiler id={field.key} onRender={count}>
    <OptionField field={field} />
  </Profiler>
));

function Settings({ options }: { options: Options }) {
  const draft = useNewDraft(options);
  return (
    <DraftProvider value={draft}>
      {fields.map((field) => (
        <Counted key={field.key} field={field} />
      ))}
    </DraftProvider>
  );
}

const page = (options: Options, store: ReturnType<typeof createStore>) => (
  <Provider store={store}>
    <MemoryRouter>
      <Settings options={options} />
    </MemoryRouter>
  </Provider>
);

beforeAll(async () => {
  await startI18n(loadDictionary, 'zh');
  await i18n.loadNamespaces('setting');
});

it('renders only the field again that is typed into, or whose stored text changed', () => {
  const store = createStore();
  store.dispatch(signedIn(root));
  const options: Options = { RetryTimes: stored('3'), TopUpLink: stored(''), ModelPrice: stored('{}') };
  const view = render(page(options, store));
  draws.clear();
  fireEvent.change(screen.getByLabelText(zh.label.RetryTimes), { target: { value: '4' } });
  expect([...draws.keys()]).toEqual(['RetryTimes']);

  draws.clear();
  view.rerender(page({ ...options, TopUpLink: stored('https://a.example', 2) }, store));
  expect(screen.getByLabelText<HTMLInputElement>(zh.label.TopUpLink).value).toBe('https://a.example');
  expect([...draws.keys()]).toEqual(['TopUpLink']);
  // The typed text stays.
  expect(screen.getByLabelText<HTMLInputElement>(zh.label.RetryTimes).value).toBe('4');
});
