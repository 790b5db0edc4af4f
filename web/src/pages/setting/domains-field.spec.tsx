import { beforeAll, describe, expect, it } from '@jest/globals';
import { act, fireEvent, render, screen } from '@testing-library/react';
import i18n from 'i18next';
import { useState } from 'react';
import { startI18n } from '../../app/i18n/index.js';
import { loadDictionary } from '../../shell/dictionaries.js';
import { DomainsField } from './domains-field.js';
import { texts as zh } from './zh.js';

function Page() {
  const [text, setText] = useState('a.example');
  return (
    <>
      <DomainsField name="domains" label="domains" value={text} onText={setText} />
      <output>{text}</output>
    </>
  );
}

const leave = (text: string): HTMLInputElement => {
  const field = screen.getByRole<HTMLInputElement>('combobox', { name: 'domains' });
  act(() => field.focus());
  fireEvent.change(field, { target: { value: text } });
  fireEvent.blur(field);
  return field;
};

const enter = (text: string): HTMLInputElement => {
  const field = screen.getByRole<HTMLInputElement>('combobox', { name: 'domains' });
  act(() => field.focus());
  fireEvent.change(field, { target: { value: text } });
  fireEvent.keyDown(field, { key: 'Enter' });
  return field;
};

const bad = zh.domain.bad.replace('{{host}}', 'gmail.com');

describe('the domains of mail addresses', () => {
  beforeAll(async () => {
    await startI18n(loadDictionary, 'zh');
    await i18n.loadNamespaces('setting');
  });

  it('add a typed domain when the field loses the focus', () => {
    render(<Page />);
    leave('B.example ');
    expect(screen.getByRole('status').textContent).toBe('a.example,b.example');
  });

  it.each([
    ['on blur', leave],
    ['by Enter', enter],
  ])('refuse an invalid domain %s, and keep it in the field', (_, give) => {
    render(<Page />);
    const field = give('no domain');
    expect(screen.getByRole('status').textContent).toBe('a.example');
    expect(screen.getByText(bad)).toBeTruthy();
    expect(field.value).toBe('no domain');
  });

  it('add a typed domain by Enter', () => {
    render(<Page />);
    expect(enter('B.example ').value).toBe('');
    expect(screen.getByRole('status').textContent).toBe('a.example,b.example');
  });

  it.each([
    ['one that is in the list', 'b.example, A.example'],
    ['one of them twice', 'b.example,B.example'],
  ])('refuse several at once with %s', (_, text) => {
    render(<Page />);
    enter(text);
    expect(screen.getByText(zh.domain.twice)).toBeTruthy();
    expect(screen.getByRole('status').textContent).toBe('a.example');
    enter('b.example, C.example');
    expect(screen.getByRole('status').textContent).toBe('a.example,b.example,c.example');
  });

  it('refuse by Enter one that is in the list, and say no more what was wrong with the one before', () => {
    render(<Page />);
    const field = enter('no domain');
    fireEvent.change(field, { target: { value: 'a.exampl' } });
    expect(screen.queryByText(bad)).toBeNull();
    enter('a.example');
    expect(screen.getByText(zh.domain.twice)).toBeTruthy();
    expect(screen.getByRole('status').textContent).toBe('a.example');
  });
});
