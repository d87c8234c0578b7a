import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const BOOK = 'src/extensions/payout/book';

/** The beginning of a statement that changes payouts, up to what it sets. */
const CHANGE = /\bupdate\s+(?:only\s+)?(?:public\.)?"?payout"?\s+(?:(?:as\s+)?\w+\s+)?set\s/gi;
const BEGINNING = /\binsert\s+into\s+(?:public\.)?"?payout"?[\s(]/i;
const BY_ENTITY = /\b(?:InjectRepository|update|save|insert|upsert|getRepository)\(\s*PayoutRow\b/;

/** Returns what a statement sets, without the parts in brackets; but the columns of a tuple are kept. */
function assignmentsOf(text: string, start: number): string {
  const bare = [];
  let [depth, opened] = [0, start];
  for (let i = start; i < text.length; i += 1) {
    const character = text[i]!;
    if ('({'.includes(character) && depth++ === 0) opened = i;
    else if (')}'.includes(character)) {
      if (--depth < 0) break;
      if (depth === 0 && /^\)\s*=/.test(text.slice(i, i + 10))) bare.push(text.slice(opened + 1, i));
    } else if (depth === 0) {
      if (character === '`' || /^\s(where|from|returning)\b/i.test(text.slice(i, i + 11))) break;
      bare.push(character);
    }
  }
  return bare.join('');
}

/** A text assembled elsewhere may set anything. */
const setsState = (text: string): boolean =>
  Array.from(text.matchAll(CHANGE)).some(({ index, 0: change }) =>
    /(^|,)\s*"?state"?\s*(=|,|$)|\$\s*(,|$)/i.test(assignmentsOf(text, index + change.length)),
  );

const writesPayout = (text: string): boolean =>
  setsState(text) || BEGINNING.test(text) || BY_ENTITY.test(text);

const sources = (readdirSync('src', { recursive: true }) as string[])
  .filter((name) => /(?<!\.spec)\.(ts|tsx|sql)$/.test(name))
  .map((name) => join('src', name))
  .map((name) => ({ name, text: readFileSync(name, 'utf8') }));

const filesWith = (isOne: (text: string) => boolean): string[] =>
  sources.filter(({ text }) => isOne(text)).map(({ name }) => name);

it('the state of a payout is set by the statements of one file of its book', () => {
  expect(filesWith(setsState)).toEqual([`${BOOK}/state.repository.ts`]);
});

it('only the book of payouts creates payouts, or writes any by their entity', () => {
  expect(filesWith(writesPayout).filter((name) => !name.startsWith(`${BOOK}/`))).toEqual([]);
});

it.each([
  [`update payout set state = 'paid' where id = $1`],
  [`UPDATE payout SET state='paid'`],
  [`update payout\n   set code = $2, state = $3\n where id = $1`],
  [`update only public.payout as one set action = null, "state" = 'paid'`],
  [`update payout set attempt = (select max(no) from calls where id = 1), state = $2`],
  [
    `with ended as (update payout set leased_until = null, state = case when true then 'paid' end returning id)`,
  ],
  [`update payout set (code, state) = ($2, $3) where id = $1`],
  ['update payout set ${changes} where id = $1'],
])('a statement that sets the state of a payout is found: %s', (statement) => {
  expect(setsState(`tx.query(\`${statement}\`)`)).toBe(true);
});

it.each([
  [`update payout set due_at = now() where state = 'review'`],
  [`update payout set due_at = case when state = 'reserved' then now() end from wait where id = $1`],
  ['update payout set due_at = now() + make_interval(secs => least(${MAX}, 1)) where id = $1'],
  [`update payout_news set state = 'paid'`],
  [`select from payout for update; insert into payout_event (payout_id, state) values ($1, $2)`],
])(
  'a statement that leaves the state of payouts alone is not taken for one that sets it: %s',
  (statement) => {
    expect(setsState(`tx.query(\`${statement}\`)`)).toBe(false);
  },
);
