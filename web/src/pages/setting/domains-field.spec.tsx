import { beforeAll, describe, expect, it } from '@jest/globals';
import { fireEvent, render, screen } from '@testing-library/react';
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
  field.focus();
  fireEvent.change(field, { target: { value: text } });
  fireEvent.blur(field);
  return field;
};

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

  it('refuse an invalid domain on blur, as by Enter', () => {
    render(<Page />);
    leave('no domain');
    expect(screen.getByRole('status').textContent).toBe('a.example');
    expect(screen.getByText(zh.domain.bad.replace('{{host}}', 'gmail.com'))).toBeTruthy();
  });
});
