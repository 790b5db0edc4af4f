import { describe, expect, it } from '@jest/globals';
import { render, screen } from '@testing-library/react';
import { Provider } from 'react-redux';
import { createStore } from '../app/store.js';
import { Markdown } from './markdown.js';

const show = (text: string) =>
  render(
    <Provider store={createStore()}>
      <Markdown text={text} />
    </Provider>,
  ).container;
const cells = (container: HTMLElement) =>
  [...container.querySelectorAll('tr')].map((row) => [...row.children].map(({ textContent }) => textContent?.trim()));

describe('Markdown', () => {
  it('draws a table of pipes, with what is bold or code in its cells', () => {
    const container = show('| model | price |\n|:--|--:|\n| `a|b` | **2.5** |\n| c | 3 |');
    expect(cells(container)).toEqual([
      ['model', 'price'],
      ['a|b', '2.5'],
      ['c', '3'],
    ]);
    expect(container.querySelector('strong')?.textContent).toBe('2.5');
    expect(container.querySelector<HTMLElement>('td:last-child')?.style.textAlign).toBe('right');
  });

  it('keeps the lines above a table, and what is in too many cells', () => {
    const container = show('These are prices:\na | b\n--- | ---\n1 | 2 | 3\n4');
    expect(container.querySelector('p')?.textContent).toBe('These are prices:');
    expect(cells(container)).toEqual([
      ['a', 'b'],
      ['1', '2 | 3'],
      ['4', ''],
    ]);
  });

  it('takes no sentence with a pipe for a table', () => {
    const container = show('either | or\nand so on\n\n- a | b');
    expect(container.querySelector('table')).toBeNull();
    expect(container.querySelector('p')?.textContent).toBe('either | or\nand so on');
  });

  it('leaves the one main heading to the page, and raw HTML alone', () => {
    const container = show('# Answer\n\n<b>no</b> <script>alert(1)</script>');
    expect(screen.getByRole('heading', { level: 2, name: 'Answer' })).toBeTruthy();
    expect(container.querySelector('h1, b, script')).toBeNull();
  });

  it('names the language of a block of code and offers to copy it', () => {
    const container = show('```python\nprint(1)\n```');
    expect(container.querySelector('.bar')?.textContent).toBe('python');
    expect(container.querySelector('pre')?.textContent).toBe('print(1)\n');
    expect(screen.getByRole('button')).toBeTruthy();
  });
});
