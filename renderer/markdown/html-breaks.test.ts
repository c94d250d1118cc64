import { expect, it } from 'vitest';
import { htmlBreaks } from './html-breaks.js';

it('turns <br> into a break at any depth and leaves other HTML alone', () => {
  const html = (value: string) => ({ type: 'html', value });
  const cell = {
    type: 'tableCell',
    children: [html('<br>'), html('<BR />'), html('<b>'), { type: 'text', value: '<br>' }],
  };
  htmlBreaks()({ type: 'root', children: [cell] });
  expect(cell.children).toEqual([
    { type: 'break' },
    { type: 'break' },
    html('<b>'),
    { type: 'text', value: '<br>' },
  ]);
});
