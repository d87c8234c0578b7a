import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkNames, prologueOf } from './prologue';
import type { RedisClient } from './redis-client';
import { checkHeader, definitionIn, type ScriptDefinition } from './script-header';

/**
 * Precedes a script that must run on its own installation only. The last key is the shard's mark of
 * ownership, the last argument the installation, `owner` in the script. One line: line numbers
 * stay.
 */
const FENCE =
  `local owner = table.remove(ARGV) if (redis.call('GET', table.remove(KEYS)) or '') ~= owner then ` +
  `return redis.error_reply('FOREIGN this shard is not marked as ours') end `;

export const isFenced = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith('FOREIGN ');

/** A key holds a type that does not belong to its name: another program, or a person, has written it. */
export const isMistyped = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith('WRONGTYPE ');

type ScriptCommand = (keyCount: number, ...keysAndArgs: (string | number)[]) => Promise<unknown>;

/**
 * The file, with the fence and the names of its header before the first line of Lua.
 * @throws ScriptHeaderMismatch
 */
export function textOf(definition: ScriptDefinition, source: string, { fenced = false } = {}): string {
  checkHeader(definition, source);
  const [shebang] = /^(?:#!.*\n)?/.exec(source)!;
  const body = source.slice(shebang.length);
  const lua = (fenced ? FENCE : '') + prologueOf(definition, body) + functionsFor(body) + body;
  checkNames(definition, lua);
  return shebang + lua;
}

/**
 * The texts of the script `lua/{name}.lua`, as they are sent to servers.
 * @throws Error with one line when there is no such script
 */
export function scriptTexts(name: string): { readonly plain: string; readonly fenced: string } {
  const names = readdirSync(join(__dirname, 'lua')).map((file) => file.replace(/\.lua$/, ''));
  if (!names.includes(name)) throw new Error(`A script is one of ${names.join(', ')}.`);
  const source = sourceOf({ name });
  const definition = definitionIn(source);
  return { plain: textOf(definition, source), fenced: textOf(definition, source, { fenced: true }) };
}

/** A function that several scripts share, in one line. */
function functionsFor(body: string): string {
  if (!/\bunreleased\(/.test(body)) return '';
  const source = readFileSync(join(__dirname, 'lua-functions', 'unreleased.lua'), 'utf8');
  return source
    .replaceAll(/^ *--.*$/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trimStart();
}

export const sourceOf = ({ name }: Pick<ScriptDefinition, 'name'>): string =>
  readFileSync(join(__dirname, 'lua', `${name}.lua`), 'utf8');

/**
 * The first line of a script says what a server with full memory does with it. Without one the server refuses
 * only the first write that needs memory, and no write after it: a script that begins by deleting then grows
 * a full server further.
 *
 * - `#!lua`: refused as a whole before it begins. Every script that may need more memory.
 * - `#!lua flags=no-writes`: runs, and writes nothing.
 * - `#!lua flags=allow-oom`: runs. It frees memory, or needs a little, bounded elsewhere.
 */
const ALL_OR_NOTHING = '#!lua\n';
const READ_ONLY = '#!lua flags=no-writes\n';

/** The server currently refuses writes because its memory or its disk is full. */
const takesNoWrites = (error: unknown): boolean =>
  error instanceof Error && /^(OOM|MISCONF) /.test(error.message);

interface ScriptOptions {
  /** Run on our own shard only; see `FENCE`. */
  readonly fenced?: boolean;
  /** Removes keys that hold a type other than ours; true if there was one, so that the script is run again. */
  readonly mend?: (keys: readonly string[]) => Promise<boolean>;
}

/**
 * Runs by EVALSHA and falls back to EVAL by itself.
 *
 * @example
 * const lengths = { name: 'lengths', keys: 'packets*', args: '', returns: 'length*' } satisfies ScriptDefinition;
 * const script = new Script(redis, lengths); // reads lua/lengths.lua, whose header says the same
 * const reply = await script.run(['rp:{07}:42:packets'], []);
 */
export class Script {
  private readonly command: ScriptCommand;
  /** The text as a script that may not write, for a script that is all or nothing. */
  private readonly readOnly?: ScriptCommand;
  private readonly mend: ScriptOptions['mend'];

  constructor(redis: RedisClient, definition: ScriptDefinition, { fenced, mend }: ScriptOptions = {}) {
    this.mend = mend;
    const name = `hongbao-${definition.name}`;
    const text = textOf(definition, sourceOf(definition), { fenced });
    this.command = define(redis, name, text);
    if (text.startsWith(ALL_OR_NOTHING))
      this.readOnly = define(redis, `${name}-read-only`, text.replace(ALL_OR_NOTHING, READ_ONLY));
  }

  /**
   * Returns the server's reply: strings, integers, or arrays of them. An all-or-nothing script is answered
   * even by a server that refuses writes, unless it would write.
   */
  async run(keys: readonly string[], args: readonly (string | number)[]): Promise<unknown> {
    try {
      return await this.command(keys.length, ...keys, ...args);
    } catch (error) {
      if (!isMistyped(error) || !(await this.mend?.(keys))) return this.runReadOnly(error, keys, args);
      return this.command(keys.length, ...keys, ...args).catch((second: unknown) =>
        this.runReadOnly(second, keys, args),
      );
    }
  }

  /** @throws `error`, unless it says that the server takes no writes and the script needs none */
  private runReadOnly(
    error: unknown,
    keys: readonly string[],
    args: readonly (string | number)[],
  ): Promise<unknown> {
    if (!this.readOnly || !takesNoWrites(error)) throw error;
    return this.readOnly(keys.length, ...keys, ...args).catch((refusal: Error) => {
      throw isFenced(refusal) ? refusal : error;
    });
  }
}

function define(redis: RedisClient, name: string, lua: string): ScriptCommand {
  redis.defineCommand(name, { lua });
  const commands = redis as unknown as Record<string, ScriptCommand>;
  return commands[name]!.bind(redis);
}
