/**
 * The definition of a Lua file in TypeScript. {@link checkHeader} refuses a file whose header differs. The
 * script uses the names given here ({@link prologueOf}).
 */
export interface ScriptDefinition {
  /** File name below `lua/` without its ending. */
  readonly name: string;
  /** Keys in their order; `(a b)*` repeats. */
  readonly keys: string;
  readonly args: string;
  readonly returns: string;
}

export class ScriptHeaderMismatch extends Error {
  constructor({ name }: ScriptDefinition, what: string) {
    super(`${name}.lua: ${what}`);
  }
}

/** @throws ScriptHeaderMismatch */
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
    const what = `header says @${tag} "${header[tag] ?? ''}", its definition says "${value}"`;
    throw new ScriptHeaderMismatch(definition, what);
  }
}

/** The definition that the header of a Lua source gives. */
export function definitionIn(source: string): ScriptDefinition {
  const { script = '', keys = '', args = '', returns = '' } = headerOf(source);
  return { name: script, keys, args, returns };
}

/** The header lines `-- @tag value` of a Lua source. */
function headerOf(source: string): Record<string, string> {
  const lines = source.matchAll(/^-- @(\w+)\s+(.+?)\s*$/gm);
  return Object.fromEntries(Array.from(lines, ([, tag, value]) => [tag!, value!]));
}
