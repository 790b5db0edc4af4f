import { describe, expect, it } from '@jest/globals';
import { fireEvent, render, screen, waitFor } from '@testing-library/react';
import { useForm } from 'react-hook-form';
import { FormText } from './form-fields.js';
import { FormSection } from './form-section.js';

function Form() {
  const { control, handleSubmit } = useForm({ defaultValues: { inside: '[]', other: '' } });
  return (
    <form onSubmit={handleSubmit(() => undefined)} noValidate>
      <FormSection title="part" advanced>
        <FormText
          control={control}
          name="inside"
          label="inside"
          check={(text) => (text === '[]' ? 'bad' : undefined)}
        />
      </FormSection>
      <FormSection title="fine" advanced>
        <FormText control={control} name="other" label="other" check={() => undefined} />
      </FormSection>
      <button type="submit">send</button>
    </form>
  );
}

const partOf = (label: string) => screen.getByLabelText(label).closest('details')!;
const send = (): void => void fireEvent.click(screen.getByRole('button', { name: 'send' }));

describe('a collapsed section of a form', () => {
  it('opens when a field inside is refused, and focuses it', async () => {
    render(<Form />);
    expect(partOf('inside').open).toBe(false);
    screen.getByRole('button', { name: 'send' }).focus();
    send();
    await waitFor(() => expect(partOf('inside').open).toBe(true));
    expect(document.activeElement).toBe(screen.getByLabelText('inside'));
    expect(partOf('other').open).toBe(false);
  });

  it('opens again when the next submission is refused', async () => {
    render(<Form />);
    send();
    await waitFor(() => expect(partOf('inside').open).toBe(true));
    partOf('inside').open = false;
    send();
    await waitFor(() => expect(partOf('inside').open).toBe(true));
  });
});
