/** In valid JSON a string before a colon is a key, and all other braces are those of objects. */
const KEYS_AND_BRACES = /[{}]|("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?/g;

/** A key is for people to find, however long its sender made it. */
const SHOWN_MAX = 64;

/**
 * Returns a key that an object of valid JSON has twice, up to its 64th character. `JSON.parse` keeps the last value;
 * other parsers keep the first one, or refuse. A person who approves or logs such a text may therefore read an amount in
 * it that is not the one that is booked.
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
      if (keys.has(key)) return key.slice(0, SHOWN_MAX);
      keys.add(key);
    }
  }
  return undefined;
}
