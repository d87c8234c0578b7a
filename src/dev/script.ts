import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { Redis } from 'ioredis';
import { readEnvironment } from '../../libs/environment';
import { scriptTexts } from '../../libs/redis-scripts';
import { redisBinary } from './engines';
import { redisUrlOf } from './local/environment';
import { runningSystem } from './local/running';

const CALLS = /^eval(sha)?(_ro)?$/i;

/** Prints a script as Redis gets it, or, with `--call`, the line that opens its next call in Redis' debugger. */
async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { call: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const texts = scriptTexts(positionals[0] ?? '');
  process.stdout.write(values.call ? `${await nextCall(positionals[0]!, texts)}\n` : texts.plain);
}

async function nextCall(name: string, texts: ReturnType<typeof scriptTexts>): Promise<string> {
  const env = readEnvironment();
  const localDir = env.LOCAL_DIR || '.local';
  const running = await runningSystem(localDir);
  const url = redisUrlOf(env) ?? running?.ownerRedisUrl ?? running?.redisUrl;
  if (!url) throw new Error('REDIS_URL is not set, and npm start does not run here.');
  const { text, inputs } = await caught(url, Object.values(texts));
  const file = join(localDir, 'scripts', `${name}.lua`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  const [keyCount, ...rest] = inputs;
  const keys = rest.slice(0, Number(keyCount));
  const args = rest.slice(Number(keyCount));
  const server = await redisBinary(localDir);
  const client = server.command.replace(/server$/, 'cli');
  const libraries =
    server.env === process.env ? [] : ['env', `LD_LIBRARY_PATH=${server.env.LD_LIBRARY_PATH}`];
  const line = [...libraries, client, '-u', url, '--ldb', '--eval', file, ...keys, ',', ...args];
  return line.map(quoted).join(' ');
}

/** Waits for a call of one of the texts, by any client. The inputs begin with the number of keys. */
async function caught(url: string, texts: string[]): Promise<{ text: string; inputs: string[] }> {
  const redis = new Redis(url, { maxRetriesPerRequest: 1, retryStrategy: () => null });
  const bySha = new Map(texts.map((text) => [createHash('sha1').update(text).digest('hex'), text]));
  try {
    const monitor = await redis.monitor();
    process.stderr.write('Waiting for a call…\n');
    return await new Promise((resolve, reject) => {
      monitor.once('end', () => reject(new Error('Redis ended the connection.')));
      monitor.on('monitor', (_time: string, words: string[]) => {
        const [command, script, ...inputs] = words.map(unescaped);
        const text = bySha.get(script ?? '') ?? texts.find((one) => one === script);
        if (!CALLS.test(command ?? '') || text === undefined) return;
        monitor.removeAllListeners('end').disconnect();
        resolve({ text, inputs });
      });
    });
  } finally {
    redis.disconnect();
  }
}

const CONTROLS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', a: '\x07', b: '\b' };

/** What MONITOR writes as `\\n` and `\\xe6`, one escape a byte. */
function unescaped(word: string): string {
  const bytes = word.replaceAll(/\\(?:x([\da-f]{2})|(.))/gs, (_, hex: string | undefined, letter: string) =>
    hex === undefined ? (CONTROLS[letter] ?? letter) : String.fromCharCode(parseInt(hex, 16)),
  );
  return Buffer.from(bytes, 'latin1').toString();
}

const quoted = (word: string): string =>
  /^[\w./:,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

main().catch((error: unknown) => {
  process.stderr.write(`${(error as Error).message}\nUsage: npm run script -- --help\n`);
  // A connection that may not watch stays open.
  process.exit(1);
});
