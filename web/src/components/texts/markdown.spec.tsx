import { describe, expect, it } from '@jest/globals';
import { render, screen } from '@testing-library/react';
import { Provider } from 'react-redux';
import { createStore } from '../../app/store.js';
import { hasMarks } from './markdown-marks.js';
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
  it('renders a table with pipes, with bold text and code in its cells', () => {
    const container = show('| model | price |\n|:--|--:|\n| `a\\|b` | **2.5** |\n| c | 3 |');
    expect(cells(container)).toEqual([
      ['model', 'price'],
      ['a|b', '2.5'],
      ['c', '3'],
    ]);
    expect(container.querySelector('strong')?.textContent).toBe('2.5');
    expect(container.querySelector<HTMLElement>('td:last-child')?.style.textAlign).toBe('right');
  });

  it('renders a table without outer pipes, and pads a short row', () => {
    const container = show('These are prices:\n\na | b\n--- | ---\n1 | 2\n4');
    expect(container.querySelector('p')?.textContent).toBe('These are prices:');
    expect(cells(container)).toEqual([
      ['a', 'b'],
      ['1', '2'],
      ['4', ''],
    ]);
  });

  it('renders task lists, strikethrough and bare addresses', () => {
    const container = show('- [x] done\n- [ ] open\n\n~~old~~ see https://example.com/a');
    expect([...container.querySelectorAll('input')].map(({ checked }) => checked)).toEqual([true, false]);
    expect(container.querySelector('del')?.textContent).toBe('old');
    expect(container.querySelector('a')?.getAttribute('rel')).toMatch(/noopener/);
  });

  it('does not render a sentence with a pipe as a table', () => {
    const container = show('either | or\nand so on\n\n- a | b');
    expect(container.querySelector('table')).toBeNull();
    expect(container.querySelector('p')?.textContent).toBe('either | or\nand so on');
  });

  it('renders no first-level heading and no raw HTML', () => {
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

describe('hasMarks', () => {
  it.each(['Hello. What can I do for you?', '3.5 is a number - no list'])('%s: none', (text) => {
    expect(hasMarks(text)).toBe(false);
    expect(show(text).textContent).toBe(text);
  });

  it.each(['**a**', '`a`', '1. a', '- a', '# a', 'a\n\nb', 'https://a.b', 'www.a.b', 'a@b.c', '[a](b)', '&amp;'])(
    '%s: some',
    (text) => expect(hasMarks(text)).toBe(true),
  );
});
