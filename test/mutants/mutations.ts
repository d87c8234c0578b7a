import ts from 'typescript';

/** A small fault: the text from `start` to `end` of a file is replaced. */
export interface Mutation {
  readonly file: string;
  /** Begins at 1. */
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly from: string;
  readonly to: string;
}

type Change = Pick<Mutation, 'start' | 'end' | 'to'>;

/** A pattern, and what it becomes; undefined leaves the place as it is. */
type Rule = readonly [RegExp, (...match: string[]) => string | undefined];

const OPERATORS: Readonly<Record<string, string>> = {
  ...{ '<': '<=', '<=': '<', '>': '>=', '>=': '>', '===': '!==', '!==': '===', '==': '~=', '~=': '==' },
  ...{ '&&': '||', '||': '&&', and: 'or', or: 'and', '+': '-', '-': '+' },
};
const METHODS: Readonly<Record<string, string>> = { every: 'some', some: 'every', min: 'max', max: 'min' };

/** Statements whose absence changes neither money nor answers. */
const CHATTER = /logger|failpoint|\.(inc|observe|unref)\(/;
const IS_SQL = /\b(select|update|insert into|delete from)\b/;

const isBalanced = (text: string): boolean => text.split('(').length === text.split(')').length;

const SQL: readonly Rule[] = [
  [/(?<!between \S+)\s+and (?:(?! and )[^\n`])+/g, (clause) => (isBalanced(clause) ? '' : undefined)],
  [/\s+for (no key update|update|key share|share)( skip locked)?\b/g, () => ''],
  [/\s+on conflict[^\n]* do nothing/g, () => ''],
  [/ (<|<=|>|>=) /g, (_, operator) => ` ${OPERATORS[operator]} `],
];

const LUA: readonly Rule[] = [
  [/ (<|<=|>|>=|==|~=|and|or|\+|-) /g, (_, operator) => ` ${OPERATORS[operator]} `],
  [/(?<=\b(?:if|elseif) ).+(?= then$)/gm, (condition) => `not (${condition})`],
  [/^ *redis\.p?call\(.*\)$/gm, () => ''],
];

/** Returns every small fault that can be planted in a file. */
export function mutationsOf(file: string, text: string): Mutation[] {
  return [...changesOf(file, text)].map(({ start, end, to }) => ({
    file,
    line: text.slice(0, start + /^\s*/.exec(text.slice(start, end))![0].length).split('\n').length,
    start,
    end,
    from: text.slice(start, end),
    to,
  }));
}

export const plantedIn = (text: string, { start, end, to }: Mutation): string =>
  text.slice(0, start) + to + text.slice(end);

export const describe = ({ file, line, from, to }: Mutation): string =>
  `${file}:${line}  ${inOneLine(from)} → ${inOneLine(to) || '(nothing)'}`;

const inOneLine = (text: string): string => text.trim().replace(/\s+/g, ' ');

function changesOf(file: string, text: string): Iterable<Change> {
  if (file.endsWith('.lua')) return changesByRules(LUA, text);
  if (file.endsWith('.sql')) return changesByRules(SQL, text);
  return changesBelow(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
}

/** Comments of SQL and Lua are left alone. */
function* changesByRules(rules: readonly Rule[], text: string, offset = 0): Generator<Change> {
  const code = text.replace(/--.*$/gm, (comment) => ' '.repeat(comment.length));
  for (const [pattern, becomes] of rules)
    for (const match of code.matchAll(pattern)) {
      const to = becomes(...match);
      const start = offset + match.index;
      if (to !== undefined) yield { start, end: start + match[0].length, to };
    }
}

function* changesBelow(node: ts.Node): Generator<Change> {
  if (ts.isDecorator(node) || ts.isImportDeclaration(node)) return;
  yield* changesAt(node);
  for (const child of node.getChildren()) yield* changesBelow(child);
}

function* changesAt(node: ts.Node): Generator<Change> {
  const becomes = (place: ts.Node, to: string) => ({ start: place.getStart(), end: place.end, to });
  if (ts.isBinaryExpression(node)) {
    const to = OPERATORS[node.operatorToken.getText()];
    if (to) yield becomes(node.operatorToken, to);
  } else if (ts.isIfStatement(node)) {
    yield becomes(node.expression, `!(${node.expression.getText()})`);
    if (!node.elseStatement && leaves(node.thenStatement)) yield becomes(node, '');
  } else if (ts.isExpressionStatement(node)) {
    if (isCall(node.expression) && !CHATTER.test(node.getText())) yield becomes(node, '');
  } else if (ts.isVariableDeclaration(node) && /^[A-Z_\d]+$/.test(node.name.getText())) {
    if (node.initializer && ts.isNumericLiteral(node.initializer))
      yield becomes(node.initializer, `10 * ${node.initializer.getText()}`);
  } else if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
    const { name, expression: list } = node.expression;
    if (name.text === 'filter') yield becomes(node, list.getText());
    if (Object.hasOwn(METHODS, name.text)) yield becomes(name, METHODS[name.text]!);
  } else if (ts.isTemplateLiteral(node) || ts.isStringLiteral(node)) {
    if (IS_SQL.test(node.getText())) yield* changesByRules(SQL, node.getText(), node.getStart());
  }
}

const isCall = (node: ts.Node): boolean =>
  ts.isCallExpression(ts.isAwaitExpression(node) ? node.expression : node);

function leaves(node: ts.Statement): boolean {
  const last = ts.isBlock(node) ? node.statements.at(-1) : node;
  return last !== undefined && (ts.isReturnStatement(last) || ts.isThrowStatement(last));
}
