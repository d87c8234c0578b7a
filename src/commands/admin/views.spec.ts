import stringWidth from 'string-width';
import { pageText, recordText } from './views';

/** The column of the terminal at which each line shows a text. */
const columnOf = (text: string, part: string): number[] =>
  text.split('\n').flatMap((line) => (line.includes(part) ? [stringWidth(line.split(part)[0]!)] : []));

describe('a table for people', () => {
  it.each([
    ['Chinese', '新年红包雨'],
    ['Japanese in both scripts', 'お年玉カード'],
    ['Korean', '세뱃돈'],
    ['wide letters', 'ＡＢＣ'],
    ['an emoji', '🧧 red'],
    ['an emoji with a colour of skin', '👋🏽'],
    ['a flag', '🇨🇳'],
    ['a letter with a mark of its own', 'Ame\u0301lie'],
    ['marks that cannot be seen', 'a\u200db\u202ec'],
  ])('is aligned in columns with %s in it', (_, name) => {
    const items = [
      { id: '1', name: 'Team lunch in spring', phase: '|open' },
      { id: '2', name, phase: '|open' },
    ];
    const table = pageText({ items }, ['id', 'name', 'phase']);
    expect(columnOf(table, '|open')).toEqual([26, 26]);
  });

  it('counts two columns for a Chinese character and for an emoji', () => {
    const items = [
      { name: '红包🧧', end: '|' },
      { name: 'abcdef', end: '|' },
    ];
    expect(pageText({ items }, ['name', 'end']).split('\n').slice(1)).toEqual(['红包🧧  |', 'abcdef  |']);
  });
});

describe('a record for people', () => {
  const record = {
    id: '7',
    look: { sender: 'Acme', colors: null },
    events: ['payout.paid', 'payout.refused'],
    empty: [],
    terms: {},
    steps: [
      { at: 'noon', state: 'sending', detail: { attempt: 1 } },
      { at: 'one', state: 'refused', detail: { code: 'closed', seen: { status: 409 } } },
    ],
  };

  it('has a line for each field, however deep, and a table for each list of records', () => {
    expect(recordText(record).split('\n')).toEqual([
      'id           7',
      'look.sender  Acme',
      'look.colors  -',
      'events       payout.paid payout.refused',
      'empty        -',
      'terms        -',
      '',
      'steps',
      'at    state    detail.attempt  detail.code  detail.seen.status',
      'noon  sending  1               -            -',
      'one   refused  -               closed       409',
    ]);
  });

  it('never shows the name of a type in place of a value', () => {
    const deep = { items: [{ batch: '0', terms: { tiers: [{ amount: '1', count: '2' }] } }] };
    expect(recordText(deep)).toContain('amount 1, count 2');
    for (const text of [recordText(deep), recordText(record), pageText(deep, ['batch', 'terms'])])
      expect(text).not.toContain('[object');
  });

  it('shows a record in a cell as words', () => {
    const items = [{ id: '1', detail: { code: 'closed', seen: { status: 409 } } }];
    expect(pageText({ items }, ['id', 'detail'])).toBe('id  detail\n1   code closed, seen.status 409');
  });
});
