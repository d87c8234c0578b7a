import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { SIGN_IN_WORDS } from '../../src/web/console/words/sign-in';
import { zh } from '../../src/web/console/words/zh';

const read = (file: string): string => readFileSync(resolve(__dirname, '..', '..', file), 'utf8');

const all = (text: string, pattern: RegExp): string[] =>
  Array.from(text.matchAll(pattern), ([match]) => match);

/** Makes links to a page the same in both folders and both languages. */
const inNoFolder = (text: string): string => text.replaceAll('../', '').replaceAll('docs/zh/', 'docs/');

describe.each([
  ['README.md', 'README.zh-CN.md'],
  ['docs/integrate.md', 'docs/zh/integrate.md'],
  ['docs/between-people.md', 'docs/zh/between-people.md'],
  ['docs/night.md', 'docs/zh/night.md'],
  ['docs/glossary.md', 'docs/zh/glossary.md'],
  ['docs/home.md', 'docs/zh/home.md'],
])('%s and %s', (inEnglish, inChinese) => {
  const [english, chinese] = [read(inEnglish), read(inChinese)].map(inNoFolder) as [string, string];

  it.each([
    ['commands, requests and answers', /^```[\s\S]*?^```$/gm],
    ['links', /\]\([^)\s]+\)/g],
    ['settings, tables and codes', /`[^`\n]+`/g],
  ])('have the same %s', (_, pattern) => {
    const toEachOther = [inEnglish, inChinese].flatMap((file) => [
      file,
      basename(file),
      `zh/${basename(file)}`,
    ]);
    const of = (text: string) =>
      new Set(all(text, pattern).filter((found) => !toEachOther.some((file) => found === `](${file})`)));
    expect(of(chinese)).toEqual(of(english));
  });

  it('have the same sections', () => {
    const levels = (text: string) => all(text, /^#+ /gm);
    expect(levels(chinese)).toEqual(levels(english));
  });
});

/** The Chinese glossary: each term in the first column, with the rejected terms in the last. */
const WORDS = Array.from(
  read('docs/zh/glossary.md').matchAll(/^\| (\S+) +\| ([a-z][^|]+?) +\| [^|]+\| ([^|]*?) *\|$/gm),
  ([, chinese, english, unused]) => ({ chinese: chinese!, english: english!, unused: unused! }),
);
const wordFor = (english: string): string => WORDS.find((word) => word.english === english)!.chinese;

describe('Chinese', () => {
  const console = 'src/web/console/words';
  const texts = [
    ...['README.zh-CN.md', 'docs/zh/home.md', 'docs/zh/integrate.md', 'docs/zh/night.md'],
    ...['sign-in.ts', 'zh.ts', 'zh-problems.ts'].map((file) => `${console}/${file}`),
    ...['src/web/rain/words.ts', 'src/web/rain/extra-words.ts'],
    ...['src/web/kit/purse-words.ts', 'src/web/people/words.ts'],
  ];

  it('has a glossary of the terms of the English glossary, in the same order', () => {
    const inEnglish = Array.from(
      read('docs/glossary.md').matchAll(/^\| ([a-z][^|]+?) +\|/gm),
      ([, word]) => word,
    );
    expect(WORDS.length).toBeGreaterThan(40);
    expect(['word', ...WORDS.map(({ english }) => english)]).toEqual(inEnglish);
    expect(new Set(WORDS.map(({ chinese }) => chinese)).size).toBe(WORDS.length);
  });

  it.each(texts)('uses the terms of the glossary in %s, and none of those that it rejects', (file) => {
    const rejected = WORDS.flatMap(({ unused }) => unused.split('、')).filter((word) => word !== '');
    expect(rejected.length).toBeGreaterThan(10);
    expect(rejected.filter((word) => read(file).includes(word))).toEqual([]);
  });

  it.each<[string, string]>([
    ['sponsor', zh.labels.sponsorId],
    ['ticket', zh.preflight.checks.tickets],
    ['pre-flight', zh.preflight.title],
    ['limit', zh.labels.limits],
    ['channel', zh.labels.channelId],
    ['hold', zh.winners.settlements.held],
    ['void', zh.winners.settlements.void],
    ['payout', zh.navigation.parts.payouts],
    ['approval', zh.navigation.parts.approvals],
    ['wall', zh.navigation.parts.wall],
    ['wallet', zh.navigation.parts.wallets],
    ['finding', zh.findings.title],
    ['fund', zh.proof.funded],
    ['unclaimed', zh.proof.places.unclaimed],
    ['refund', zh.wallets.kinds.refund],
    ['replay', zh.deadLetters.replay],
    ['top-up', zh.topUp.submit],
    ['claim', zh.exports.kinds.claims],
    ['waiting list', zh.waitingList.title],
    ['token', SIGN_IN_WORDS.zh.token],
  ])('calls a %s on the console what the glossary calls it', (english, onConsole) => {
    expect(onConsole).toBe(wordFor(english));
  });

  it('calls a dead letter on the console what the glossary says that finance reads there', () => {
    expect(read('docs/zh/glossary.md')).toMatch(
      new RegExp(`^\\| 死信 .*控制台写“${zh.navigation.parts['dead-letters']}”`, 'm'),
    );
  });

  it('says that winners have been paid, not that they have paid', () => {
    for (const file of texts) expect(read(file)).not.toMatch(/(中奖者|赢家|红包)(都|均)已付款/);
  });
});
