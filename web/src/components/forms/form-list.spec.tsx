import { describe, expect, it } from '@jest/globals';
import { fireEvent, render, screen } from '@testing-library/react';
import { useForm, useWatch } from 'react-hook-form';
import { FormList } from './form-list.js';

function Form({ free }: { free: boolean }) {
  const { control } = useForm({ defaultValues: { names: ['one'] } });
  return (
    <>
      <FormList control={control} name="names" label="names" options={['alpha', 'beta']} free={free} />
      <output>{useWatch({ control, name: 'names' }).join(',')}</output>
    </>
  );
}

const write = (text: string): HTMLElement => {
  const field = screen.getByRole('combobox', { name: 'names' });
  field.focus();
  fireEvent.change(field, { target: { value: text } });
  return field;
};
const names = () => screen.getByRole('status').textContent;

describe('a list of names', () => {
  it('adds a typed name when the field loses the focus', () => {
    render(<Form free />);
    fireEvent.blur(write(' two '));
    expect(names()).toBe('one,two');
  });

  it('adds the typed text, not the option under the pointer', () => {
    render(<Form free />);
    const field = write('alp');
    fireEvent.mouseMove(screen.getByRole('option', { name: 'alpha' }));
    fireEvent.blur(field);
    expect(names()).toBe('one,alp');
  });

  it('refuses a duplicate name, and a name that is not among required options', () => {
    const { unmount } = render(<Form free />);
    fireEvent.blur(write('one'));
    expect(names()).toBe('one');
    unmount();
    render(<Form free={false} />);
    fireEvent.blur(write('two'));
    expect(names()).toBe('one');
  });
});
