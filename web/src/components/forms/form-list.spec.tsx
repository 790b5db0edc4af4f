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
  it('takes a typed name when the field is left', () => {
    render(<Form free />);
    fireEvent.blur(write(' two '));
    expect(names()).toBe('one,two');
  });

  it('takes what was typed, not the option that lies under the pointer', () => {
    render(<Form free />);
    const field = write('alp');
    fireEvent.mouseMove(screen.getByRole('option', { name: 'alpha' }));
    fireEvent.blur(field);
    expect(names()).toBe('one,alp');
  });

  it('takes no name twice, and none that must be an option', () => {
    const { unmount } = render(<Form free />);
    fireEvent.blur(write('one'));
    expect(names()).toBe('one');
    unmount();
    render(<Form free={false} />);
    fireEvent.blur(write('two'));
    expect(names()).toBe('one');
  });
});
