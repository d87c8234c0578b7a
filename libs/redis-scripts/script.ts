import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Redis } from 'ioredis';

/**
 * What TypeScript believes about a Lua file. The same three lines stand in the file's header, and
 * {@link readScript} refuses a file whose header says anything else: a header that nobody checks soon lies.
 */
export interface ScriptDefinition {
  /** File name below `lua/` without its ending. */
  readonly name: string;
  /** Keys in their order; `(a b)*` repeats. */
  readonly keys: string;
  readonly args: string;
  readonly returns: string;
}

export class ScriptHeaderMismatch extends Error {}

/** The header lines `-- @tag value` of a Lua source. */
function headerOf(source: string): Record<string, string> {
  const lines = source.matchAll(/^-- @(\w+)\s+(.+?)\s*$/gm);
  return Object.fromEntries(Array.from(lines, ([, tag, value]) => [tag!, value!]));
}

export function checkHeader(definition: ScriptDefinition, source: string): void {
  const header = headerOf(source);
  const expected = {
    script: definition.name,
    keys: definition.keys,
    args: definition.args,
    returns: definition.returns,
  };
  for (const [tag, value] of Object.entries(expected)) {
    if (header[tag] === value) continue;
    throw new ScriptHeaderMismatch(
      `${definition.name}.lua: header says @${tag} "${header[tag] ?? ''}", its definition says "${value}"`,
    );
  }
}

function readScript(definition: ScriptDefinition): string {
  const source = readFileSync(join(__dirname, 'lua', `${definition.name}.lua`), 'utf8');
  checkHeader(definition, source);
  return source;
}

/**
 * Goes before a script that must run on a server of its own installation only. The last key is the shard's mark of
 * ownership, the last argument the installation. The script does not see them, but may use the installation as `owner`.
 * One line, so that line numbers stay.
 */
const FENCE =
  `local owner = table.remove(ARGV) if (redis.call('GET', table.remove(KEYS)) or '') ~= owner then ` +
  `return redis.error_reply('FOREIGN this shard is not marked as ours') end `;

export const isFenced = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith('FOREIGN ');

type ScriptCommand = (keyCount: number, ...keysAndArgs: (string | number)[]) => Promise<unknown>;

/** The first line of a script that a server which takes no writes refuses before it begins. */
const ALL_OR_NOTHING = '#!lua\n';
const READ_ONLY = '#!lua flags=no-writes\n';

/** The server takes no writes at the moment: its memory is full, or its disk. */
const takesNoWrites = (error: unknown): boolean =>
  error instanceof Error && /^(OOM|MISCONF) /.test(error.message);

/** A script that is registered with one connection. Runs by EVALSHA and falls back to EVAL by itself. */
export class Script {
  private readonly command: ScriptCommand;
  /** The same text as one that may not write, for a script that is all or nothing. */
  private readonly readOnly?: ScriptCommand;

  constructor(redis: Redis, definition: ScriptDefinition, { fenced = false } = {}) {
    const name = `hongbao-${definition.name}`;
    const source = readScript(definition);
    this.command = define(redis, name, (fenced ? FENCE : '') + source);
    if (source.startsWith(ALL_OR_NOTHING))
      this.readOnly = define(redis, `${name}-read-only`, source.replace(ALL_OR_NOTHING, READ_ONLY));
  }

  /**
   * The reply is whatever the server sent: strings, integers, or arrays of them. Its meaning belongs to the caller. A script
   * that is all or nothing is answered even by a server that takes no writes, unless it would write.
   */
  async run(keys: readonly string[], args: readonly (string | number)[]): Promise<unknown> {
    try {
      return await this.command(keys.length, ...keys, ...args);
    } catch (error) {
      if (!this.readOnly || !takesNoWrites(error)) throw error;
      return this.readOnly(keys.length, ...keys, ...args).catch(() => Promise.reject(error as Error));
    }
  }
}

function define(redis: Redis, name: string, lua: string): ScriptCommand {
  redis.defineCommand(name, { lua });
  const commands = redis as unknown as Record<string, ScriptCommand>;
  return commands[name]!.bind(redis);
}
