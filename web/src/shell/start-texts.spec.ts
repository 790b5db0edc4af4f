import { expect, it, jest } from '@jest/globals';
import { fireEvent, getByRole, getByText } from '@testing-library/react';
import { startI18n } from '../app/i18n/index.js';
import { haveTexts } from './start-texts.js';

it('the console reports in both languages that its texts did not load, and offers to reload', async () => {
  const root = document.createElement('div');
  const reload = jest.fn();
  const gone = async () => Promise.reject(new TypeError('Failed to fetch dynamically imported module'));
  expect(await haveTexts(root, () => startI18n(gone, 'zh'), reload)).toBe(false);
  expect(getByText(root, /没有加载/)).toBeTruthy();
  expect(getByText(root, /did not load/)).toBeTruthy();
  fireEvent.click(getByRole(root, 'button', { name: /Reload/ }));
  expect(reload).toHaveBeenCalledTimes(1);
});
