import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';

const read = (file: string): string => readFileSync(resolve(__dirname, '..', '..', file), 'utf8');

const all = (text: string, pattern: RegExp): string[] =>
  Array.from(text.matchAll(pattern), ([match]) => match);

/** Links to a page are alike then in both folders and both languages. */
const inNoFolder = (text: string): string => text.replaceAll('../', '').replaceAll('docs/zh/', 'docs/');

describe.each([
  ['README.md', 'README.zh-CN.md'],
  ['docs/integrate.md', 'docs/zh/integrate.md'],
  ['docs/night.md', 'docs/zh/night.md'],
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
