import { connect, type Socket } from 'node:net';

export type Line = readonly [atMs: number, words: readonly string[], inScript: boolean];

/**
 * Resolves once every later command will be received. The monitor of `ioredis` breaks if the first
 * line arrives together with the answer to MONITOR.
 */
export function listen(url: string, hear: (line: Line) => void): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let rest = '';
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.on('data', (chunk) => {
      const lines = (rest + chunk.toString('latin1')).split('\r\n');
      rest = lines.pop()!;
      for (const text of lines) {
        const line = lineOf(text);
        if (line) hear(line);
        else if (text === '+OK') resolve(socket);
        else reject(new Error(text));
      }
    });
    socket.write('MONITOR\r\n');
  });
}

/** The format is `+<seconds> [<db> <address, or "lua">] "<word>" "<word>" ...`. */
function lineOf(text: string): Line | undefined {
  const [, seconds, source, words] = /^\+(\d+\.\d+) \[\d+ (\S+)\] (".*")$/s.exec(text) ?? [];
  if (words === undefined) return undefined;
  return [Number(seconds) * 1000, wordsOf(words), source === 'lua'];
}

/** Most lines have nothing to unescape. */
function wordsOf(text: string): string[] {
  if (!text.includes('\\')) return text.slice(1, -1).split('" "');
  return Array.from(text.matchAll(/"((?:[^"\\]|\\.)*)"/g), ([, word]) => unescaped(word!));
}

const CONTROLS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', a: '\u0007', b: '\b' };

const unescaped = (word: string): string =>
  word.replaceAll(/\\(?:x([0-9a-f]{2})|(.))/g, (_, hex: string | undefined, one: string) =>
    hex === undefined ? (CONTROLS[one] ?? one) : String.fromCharCode(parseInt(hex, 16)),
  );
