import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { act, fireEvent, render, screen, waitFor } from '@testing-library/react';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import i18n from 'i18next';
import { useTranslation } from 'react-i18next';
import { Provider } from 'react-redux';
import type { ApiError } from '../../api/api-error.js';
import { startI18n, switchLanguage } from '../../app/i18n/index.js';
import { texts as errors } from '../../app/i18n/errors/en.js';
import { texts as en } from '../../app/i18n/en.js';
import { texts as zh } from '../../app/i18n/zh.js';
import { createStore } from '../../app/store.js';
import { loadDictionary } from '../../shell/dictionaries.js';
import { Refusal } from '../feedback/refusal.js';
import { FormList } from './form-list.js';
import { FormSelect, FormText } from './form-fields.js';
import { useRefusedFields } from './use-refused-fields.js';
import { Field } from './field.js';
import { useRefusedInputs } from './use-refused-inputs.js';

type Fields = NonNullable<ApiError['fields']>;
const at = (path: string, reason: string): Fields[number] => ({ path, code: 'invalid', params: { reason } });
const refused = (...fields: Fields): ApiError => ({
  ...{ status: 200, code: 'invalid-input', kind: 'invalid', message: 'the first', requestId: 'req-1', fields },
});

const names = { worth: 'price' } as const;
const sent = jest.fn();
let refuse: (error: ApiError | undefined) => void;

function Form() {
  const { t } = useTranslation();
  const [error, setError] = useState<ApiError>();
  refuse = setError;
  const form = useForm({
    defaultValues: { own: '', displayName: '', price: '', perCall: '', kind: 'a', fixed: '', group: '', models: [] },
  });
  const { control, handleSubmit, setValue } = form;
  const kind = useWatch({ control, name: 'kind' });
  const rest = useRefusedFields(form, error, names);
  return (
    <form onSubmit={handleSubmit((typed) => void sent(typed))} noValidate>
      {rest != null && <Refusal error={rest} />}
      <FormText control={control} name="displayName" label="name" />
      <FormText control={control} name="price" label="price" />
      <FormText
        control={control}
        name="own"
        label="own"
        check={(text) => (text === '!' ? t('form.required') : undefined)}
      />
      {kind === 'a' && <FormText control={control} name="perCall" label="per call" />}
      <FormText control={control} name="fixed" label="fixed" denied="not now" />
      <FormSelect control={control} name="group" label="group" denied="not now" options={[]} />
      <FormList control={control} name="models" label="models" denied="not now" options={[]} />
      <FormSelect
        control={control}
        name="kind"
        label="kind"
        options={['a', 'b'].map((value) => ({ value, label: value }))}
      />
      <button type="button" onClick={() => setValue('price', '1')}>
        preset
      </button>
      <button type="submit">send</button>
    </form>
  );
}

const show = (form: ReactNode) => render(<Provider store={createStore()}>{form}</Provider>);
const field = (label: string) => screen.getByLabelText<HTMLInputElement>(label);
const said = (label: string) => {
  const input = field(label);
  return input.getAttribute('aria-invalid') === 'true'
    ? document.getElementById(input.getAttribute('aria-describedby') ?? '')?.textContent
    : undefined;
};
const press = (name: string): void => void fireEvent.click(screen.getByRole('button', { name }));
const answer = (error: ApiError) => act(async () => refuse(error));

beforeAll(() => startI18n(loadDictionary, 'zh'));

describe('errors of the server in a form', () => {
  it('are shown only at their fields, the first of which gets the focus', async () => {
    show(<Form />);
    await answer(refused(at('kind', 'no such kind'), at('display_name', 'too plain'), at('display_name', 'too short')));
    expect([said('name'), said('kind'), said('price')]).toEqual(['too plain', 'no such kind', undefined]);
    expect(document.activeElement).toBe(field('name'));
    expect(screen.queryByRole('alert')).toBeNull();
  });

  it('are shown at the closest field for a nested path', async () => {
    show(<Form />);
    await answer(refused(at('worth.models[0].ratio', 'no ratio'), at('per_call.0', 'no price')));
    expect([said('price'), said('per call')]).toEqual(['no ratio', 'no price']);
  });

  it('are shown above the fields with the request id when there is no visible field', async () => {
    show(<Form />);
    fireEvent.change(field('kind'), { target: { value: 'b' } });
    await answer(refused(at('display_name', 'too plain'), at('per_call', 'no price')));
    expect(said('name')).toBe('too plain');
    expect(screen.getByRole('alert').textContent).toContain('no price');
    expect(screen.getByRole('alert').textContent).toContain('req-1');
    await answer(refused(at('expected', 'too old')));
    expect(screen.getByRole('alert').textContent).toContain('the first');
  });

  it.each(['constructor', '__proto__', 'toString.x', 'hasOwnProperty[0]', 'display_name.__proto__', ''])(
    'are shown above the fields or at the closest one for the path "%s"',
    async (path) => {
      show(<Form />);
      await answer(refused(at(path, 'no such')));
      expect([screen.queryByRole('alert')?.textContent, said('name')].join()).toMatch(/no such|the first/);
    },
  );

  it('are shown also at disabled fields, beside their reason', async () => {
    show(<Form />);
    expect(screen.getAllByText('not now')).toHaveLength(3);
    await answer(refused(at('fixed', 'too late'), at('group', 'no such'), at('models[0]', 'no model')));
    expect(['fixed', 'group', 'models'].map(said)).toEqual(['too late', 'no such', 'no model']);
  });

  it('disappear when their field changes, by typing or by a button', async () => {
    show(<Form />);
    await answer(refused(at('display_name', 'too plain'), at('price', 'no price')));
    press('preset');
    await waitFor(() => expect(said('price')).toBeUndefined());
    expect(said('name')).toBe('too plain');
    fireEvent.change(field('name'), { target: { value: 'x' } });
    await waitFor(() => expect(said('name')).toBeUndefined());
  });

  it('do not prevent sending the same again', async () => {
    show(<Form />);
    sent.mockReset();
    press('send');
    await waitFor(() => expect(sent).toHaveBeenCalledTimes(1));
    await answer(refused(at('display_name', 'too plain')));
    press('send');
    await waitFor(() => expect(sent).toHaveBeenCalledTimes(2));
  });

  it('are shown in English by their code, or by a general text', async () => {
    await i18n.changeLanguage('en');
    await waitFor(() => expect(i18n.exists('errors:username-taken')).toBe(true));
    show(<Form />);
    await answer(refused(at('price', 'in Chinese'), { path: 'display_name', code: 'username-taken' }));
    expect(said('price')).toBe(en.form.notAccepted);
    expect(said('name')).toBe(errors['username-taken']);
    await i18n.changeLanguage('zh');
  });
});

describe('what was refused of a field', () => {
  const taken = { path: 'display_name', code: 'username-taken' };
  afterEach(() => i18n.changeLanguage('zh'));

  it('is said in the other language after a switch, by the server and by the form', async () => {
    show(<Form />);
    fireEvent.change(field('own'), { target: { value: '!' } });
    press('send');
    await waitFor(() => expect(said('own')).toBe(zh.form.required));
    await answer(refused(at('price', 'zh-only'), taken, at('elsewhere', 'zh-only, too')));
    expect(said('price')).toBe('zh-only');
    field('group').focus();
    await act(() => switchLanguage('en'));
    await waitFor(() => expect(said('own')).toBe(en.form.required));
    expect([said('price'), said('name')]).toEqual([en.form.notAccepted, errors['username-taken']]);
    expect(document.activeElement).toBe(field('group'));
    await act(() => switchLanguage('zh'));
    await waitFor(() => expect(said('own')).toBe(zh.form.required));
    expect(said('price')).toBe('zh-only');
    expect(screen.getByRole('alert').textContent).toContain('zh-only, too');
  });

  it('does not come back with a switch once the field was filled in otherwise', async () => {
    show(<Form />);
    await answer(refused(at('price', 'zh-only')));
    fireEvent.change(field('price'), { target: { value: '2' } });
    await waitFor(() => expect(said('price')).toBeUndefined());
    await act(() => switchLanguage('en'));
    expect(said('price')).toBeUndefined();
  });

  it('is said anew beside fields without a form, too', async () => {
    show(<Inputs />);
    await answer(refused(at('user', 'zh-only')));
    field('code').focus();
    await act(() => switchLanguage('en'));
    expect(said('user')).toBe(en.form.notAccepted);
    expect(document.activeElement).toBe(field('code'));
  });
});

function Inputs() {
  const [error, setError] = useState<ApiError>();
  const [values, setValues] = useState({ user: 'ann', code: '1' });
  refuse = setError;
  const inputs = useRefusedInputs(error, values, { verification_code: 'code' });
  return (
    <>
      {inputs.rest != null && <Refusal error={inputs.rest} />}
      {(['user', 'code'] as const).map((name) => (
        <Field
          key={name}
          {...inputs.field(name, undefined, 'hint')}
          label={name}
          value={values[name]}
          onChange={({ target }) => setValues({ ...values, [name]: target.value })}
        />
      ))}
    </>
  );
}

describe('fields outside of a form of the library', () => {
  it('show the error of the server until their value changes', async () => {
    show(<Inputs />);
    await answer(refused(at('verification_code', 'wrong'), at('user', 'unknown')));
    expect([said('user'), said('code')]).toEqual(['unknown', 'wrong']);
    expect(document.activeElement).toBe(field('user'));
    expect(screen.queryByRole('alert')).toBeNull();
    fireEvent.change(field('user'), { target: { value: 'bob' } });
    expect([said('user'), said('code')]).toEqual([undefined, 'wrong']);
    expect(screen.getByText('hint')).toBeTruthy();
    await answer(refused(at('elsewhere', 'x')));
    expect(screen.getByRole('alert').textContent).toContain('req-1');
  });
});
