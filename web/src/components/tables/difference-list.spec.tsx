import { beforeAll, describe, expect, it } from '@jest/globals';
import { fireEvent, render, screen } from '@testing-library/react';
import { startI18n } from '../../app/i18n/index.js';
import { texts as zh } from '../../app/i18n/zh.js';
import { loadDictionary } from '../../shell/dictionaries.js';
import { DifferenceList } from './difference-list.js';

beforeAll(() => startI18n(loadDictionary, 'zh'));

describe('a list of differences', () => {
  it('shows two hundred at once, says how many more there are, and finds the others', () => {
    const rows = Array.from({ length: 250 }, (_, at) => ({ name: 'map', key: `Model-${at}`, before: '1', after: '2' }));
    render(<DifferenceList rows={rows} />);
    const shown = () => screen.getAllByRole('row').length - 1;
    expect(shown()).toBe(200);
    expect(screen.getByText(zh.diff.count.changed.replace('{{count}}', '250'))).toBeTruthy();
    expect(screen.getByText(zh.diff.more.replace('{{count}}', '50'))).toBeTruthy();
    fireEvent.change(screen.getByLabelText(zh.diff.search), { target: { value: 'model-24' } });
    // Model-24 and Model-240 to Model-249.
    expect(shown()).toBe(11);
    expect(screen.queryByText(zh.diff.more.replace('{{count}}', '50'))).toBeNull();
  });
});
