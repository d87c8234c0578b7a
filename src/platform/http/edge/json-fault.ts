const SPACE = /[ \t\n\r]*/y;
const TOKEN =
  /[{}[\],:]|"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)\b/y;

type Expected = 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'comma or end';

export function jsonFault(text: string): string | undefined {
  const at = jsonFaultAt(text);
  return at === undefined ? undefined : sentenceAbout(text, at);
}

/**
 * Returns the index at which a text stops being JSON. The message of `JSON.parse` has no position for
 * most faults, and quotes what the client has sent.
 */
export function jsonFaultAt(text: string): number | undefined {
  const open: string[] = [];
  let expected: Expected = 'value';
  let end = 0;
  for (;;) {
    const start = end + matchAt(SPACE, text, end).length;
    const token = matchAt(TOKEN, text, start);
    if (open.length === 0 && expected === 'comma or end') return start === text.length ? undefined : start;
    const next = follow(expected, token, open);
    if (next === undefined) return start;
    expected = next;
    end = start + token.length;
  }
}

/** Returns what may follow the token, or undefined if it is not allowed there. */
function follow(expected: Expected, token: string, open: string[]): Expected | undefined {
  const isEnd = token !== '' && token === (open.at(-1) === '{' ? '}' : ']');
  if (expected === 'colon') return token === ':' ? 'value' : undefined;
  if (isEnd && expected.endsWith('or end')) {
    open.pop();
    return 'comma or end';
  }
  if (expected === 'comma or end') return token === ',' ? (open.at(-1) === '{' ? 'key' : 'value') : undefined;
  if (expected.startsWith('key')) return token.startsWith('"') ? 'colon' : undefined;
  if (token === '{' || token === '[') {
    open.push(token);
    return token === '{' ? 'key or end' : 'value or end';
  }
  return token === '' || '}],:'.includes(token) ? undefined : 'comma or end';
}

function matchAt(pattern: RegExp, text: string, index: number): string {
  pattern.lastIndex = index;
  return pattern.exec(text)?.[0] ?? '';
}

function sentenceAbout(text: string, index: number): string {
  if (index === text.length) return 'The body is not JSON: it ends too early.';
  const lines = text.slice(0, index).split('\n');
  return `The body is not JSON at line ${lines.length}, column ${lines.at(-1)!.length + 1}.`;
}
