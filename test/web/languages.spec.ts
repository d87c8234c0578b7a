import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import type { FieldFault, ProblemCode } from '../../libs/client';
import { FORMS, must } from '../../libs/problem';
import { WORDS } from '../harness/console-words';
import { PROBLEMS } from '../../src/web/console/words/zh-problems';
import { WORDS as PEOPLE_WORDS } from '../../src/web/people/words';
import { PURSE_WORDS } from '../../src/web/kit/purse-words';
import { VERDICT_WORDS } from '../../src/web/kit/verdict-words';
import { EXTRA_WORDS } from '../../src/web/rain/extra-words';
import { refusalText, WORDS as RAIN_WORDS } from '../../src/web/rain/words';

const CONSOLE = join('src', 'web', 'console');
const HAN = /\p{Script=Han}/u;

/** Texts that need no Chinese: names, signs, and texts made up only of values. */
const WITHOUT_WORDS = new Set([
  ...['activity.stop', 'approvals.decided', 'approvals.summary', 'approvals.summaryWithoutAmount'],
  ...['audit.fact', 'audit.fields.url', 'bulk.deed', 'exports.asCsv', 'fairness.checked', 'listFile.csv'],
  ...['navigation.parts.webhooks', 'payouts.by', 'progress.ofAll', 'quoted', 'requests.because'],
  ...['signs.about', 'statements.formats.csv', 'statements.formats.json', 'zones.utc'],
]);

type Texts = readonly (readonly [string, unknown])[];

const textsOf = (node: unknown, path: readonly string[] = []): Texts =>
  typeof node === 'object'
    ? Object.entries(node!).flatMap(([key, child]) => textsOf(child, [...path, key]))
    : [[path.join('.'), node]];

/** A text as it is shown, with marks in place of its values if it is a function. */
function shown(text: unknown): string {
  if (typeof text !== 'function') return text as string;
  const marks = Array.from({ length: text.length }, (_, i) => `<${i}>`);
  return (text as (...values: string[]) => string)(...marks);
}

const marksIn = (text: string): string[] => [...new Set(text.match(/<\d>/g))].sort();

describe('the console in two languages', () => {
  const chinese = new Map(textsOf(WORDS.zh));
  /** The console's own texts; texts about problems of the API have their own tests below. */
  const texts = textsOf(WORDS.en).filter(([path]) => !/^faults\.(problem|fields)$/.test(path));

  it('has every text in both', () => {
    expect([...chinese.keys()].sort()).toEqual(
      textsOf(WORDS.en)
        .map(([path]) => path)
        .sort(),
    );
  });

  it('has a Chinese version of every text, with the same values in it', () => {
    const wrong = texts.filter(([path, text]) => {
      const [english, ours] = [shown(text), shown(chinese.get(path))];
      const isChinese =
        path === 'signIn.otherLanguage' ? HAN.test(english) : HAN.test(ours) || WITHOUT_WORDS.has(path);
      return !isChinese || marksIn(english).join() !== marksIn(ours).join();
    });
    expect(wrong.map(([path]) => path)).toEqual([]);
  });

  it('says in Chinese what the API refuses, with the fields and the figures of the rules', () => {
    const problem = {
      status: 400,
      code: 'request.invalid' as ProblemCode,
      title: 'Invalid request',
      detail: 'No.',
    };
    const fields = [
      { field: '“单个最小”', ...must.beAtMost('5.00', 'must not be above “单个最大”', '“单个最大”') },
      { field: '“红包个数”', ...must.beA('whole-number') },
      { field: '“上限”', ...must.beThere('must have one', ['“每人每日”', '“每人合计”']) },
    ] as FieldFault[];
    expect(WORDS.zh.faults.fields(problem, fields)).toBe(
      '填写有误：“单个最小”不能大于 5.00（“单个最大”）；“红包个数”须为整数；' +
        '“上限”须填写 “每人每日”、“每人合计” 中的至少一项',
    );
    expect(WORDS.zh.faults.problem({ ...problem, code: 'wallet.insufficient_funds' })).toBe('钱包余额不足。');
  });

  it('says what each form expects, in a sentence of its own', () => {
    const problem = {
      status: 400,
      code: 'request.invalid' as ProblemCode,
      title: 'Invalid request',
      detail: 'No.',
    };
    const sentences = FORMS.map((form) =>
      WORDS.zh.faults.fields(problem, [{ field: '', ...must.beA(form) } as FieldFault]).replace(/^.*：/, ''),
    );
    expect(sentences.filter((sentence) => !HAN.test(sentence))).toEqual([]);
    expect(new Set(sentences).size).toBe(FORMS.length);
  });

  it('names every action of the audit log', () => {
    const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) =>
      /^(core|extensions).*\.ts$/.test(file),
    );
    const actions = sources.flatMap((file) => [
      ...readFileSync(join('src', file), 'utf8').matchAll(/action: [^,;]*/g),
    ]);
    const named = actions.flatMap(([text]) =>
      [...text.matchAll(/'([a-z-]+\.[a-z-]+)'/g)].map(([, name]) => name!),
    );
    expect([...new Set(named)].sort()).toEqual(Object.keys(WORDS.en.audit.actions).sort());
  });

  it('has no words outside the texts', () => {
    const files = readdirSync(CONSOLE, { recursive: true, encoding: 'utf8' });
    const sources = files.filter((file) => /\.tsx?$/.test(file) && !file.startsWith('words'));
    expect(sources.length).toBeGreaterThan(40);
    expect(sources.flatMap(bareWords)).toEqual([]);
  });
});

describe('the pages of players in two languages', () => {
  const of = (language: 'en' | 'zh') =>
    textsOf([
      ...[RAIN_WORDS[language], EXTRA_WORDS[language], PURSE_WORDS[language]],
      ...[PEOPLE_WORDS[language], VERDICT_WORDS[language]],
    ]);

  it('has every text in both, with the same values in it, and Chinese in the Chinese version', () => {
    const english = new Map(of('en'));
    const chinese = of('zh');
    expect(chinese.map(([path]) => path).sort()).toEqual([...english.keys()].sort());
    const wrong = chinese.filter(([path, text]) => {
      const [ours, theirs] = [shown(text), shown(english.get(path))];
      const isChinese = path.endsWith('otherLanguage') ? HAN.test(theirs) : HAN.test(ours);
      return !isChinese || marksIn(ours).join() !== marksIn(theirs).join();
    });
    expect(wrong.map(([path]) => path)).toEqual([]);
  });

  it('describes every problem of the API in the language of the page, without the words of the API', () => {
    const codes = Object.keys(PROBLEMS) as ProblemCode[];
    expect(codes.length).toBeGreaterThan(80);
    for (const code of [...codes, undefined]) {
      // Chinese has "App" as a word of its own.
      const chinese = refusalText(code, RAIN_WORDS.zh).replace(/ App /g, '');
      expect(chinese).toMatch(/^[^A-Za-z]*\p{Script=Han}[^A-Za-z]*$/u);
      expect(refusalText(code, RAIN_WORDS.en)).toMatch(/^[A-Z][^\p{Script=Han}]*\.$/u);
    }
  });
});

const NAMES = new Set(['Hongbao', 'Postgres', 'Redis', 'Bearer', 'UTC', 'Escape']);

/** Texts in a file that people would read: words between elements, sentences and capitalised words. */
function bareWords(file: string): string[] {
  const source = ts.createSourceFile(file, readFileSync(join(CONSOLE, file), 'utf8'), ts.ScriptTarget.Latest);
  const found: string[] = [];
  const look = (node: ts.Node): void => {
    if (isForPrograms(node)) return;
    if (isBare(node)) found.push(`${file}: ${(node as ts.LiteralLikeNode).text.trim()}`);
    ts.forEachChild(node, look);
  };
  look(source);
  return found;
}

function isBare(node: ts.Node): boolean {
  if (ts.isJsxText(node)) return !NAMES.has(node.text.trim()) && /[A-Za-z]{2}/.test(node.text);
  const isText =
    ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);
  if (!isText) return false;
  const text = node.text.trim();
  return !NAMES.has(text) && /[A-Za-z]{2,} [A-Za-z]{2,}|^[A-Z][a-z]+$/.test(text);
}

/** True for imports, types, style classes, and code that is shown unchanged. */
function isForPrograms(node: ts.Node): boolean {
  if (ts.isImportDeclaration(node) || ts.isLiteralTypeNode(node)) return true;
  if (ts.isJsxAttribute(node)) return nameOf(node.name) === 'class';
  return ts.isJsxElement(node) && nameOf(node.openingElement.tagName) === 'code';
}

const nameOf = (node: ts.Node): string => (ts.isIdentifier(node) ? node.text : '');
