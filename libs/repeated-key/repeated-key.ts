/** In valid JSON a string before a colon is a key, and all other braces are those of objects. */
const KEYS_AND_BRACES = /[{}]|("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?/g;

/**
 * Returns a key that an object of valid JSON has twice. `JSON.parse` keeps the last value, other parsers the first one,
 * or refuse: whoever approved or logged such a text may have read another amount in it than is booked.
 */
export function repeatedKey(json: string): string | undefined {
  const open: Set<string>[] = [];
  for (const [token, text, colon] of json.matchAll(KEYS_AND_BRACES)) {
    if (token === '{') open.push(new Set());
    else if (token === '}') open.pop();
    else if (colon !== undefined) {
      // The same letters may be written as they are, and by escapes.
      const key = JSON.parse(text!) as string;
      const keys = open.at(-1)!;
      if (keys.has(key)) return key;
      keys.add(key);
    }
  }
  return undefined;
}
