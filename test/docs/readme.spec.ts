import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const read = (file: string): string => readFileSync(resolve(__dirname, '..', '..', file), 'utf8');

const [english, chinese] = [read('README.md'), read('README.zh-CN.md')];

const all = (text: string, pattern: RegExp): string[] =>
  Array.from(text.matchAll(pattern), ([match]) => match);

describe('both READMEs', () => {
  it.each([
    ['commands, requests and answers', /^```[\s\S]*?^```$/gm],
    ['links', /\]\([^)\s]+\)/g],
    ['settings, tables and codes', /`[^`\n]+`/g],
  ])('have the same %s', (_, pattern) => {
    const of = (text: string) => new Set(all(text, pattern));
    const link = (other: string) => `](${other})`;
    const [inEnglish, inChinese] = [of(english), of(chinese)];
    inEnglish.delete(link('README.zh-CN.md'));
    inChinese.delete(link('README.md'));
    expect(inChinese).toEqual(inEnglish);
  });

  it('have the same sections', () => {
    const levels = (text: string) => all(text, /^#+ /gm);
    expect(levels(chinese)).toEqual(levels(english));
  });
});
