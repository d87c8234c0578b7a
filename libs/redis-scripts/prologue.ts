import { type ScriptDefinition, ScriptHeaderMismatch } from './script-header';
import { MARKED_FORMAT, STATE_FORMAT_MAX } from './state-format';

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const LUA_WORDS = words(
  'and break do else elseif end false for function if in local nil not or repeat return then true until while',
);

const GLOBALS = words('ARGV KEYS cjson ipairs math pairs redis string table tonumber tostring type unpack');

/** The name of the installation in a fenced script. */
const OWNER = 'owner';

const CAMEL_CASE = /^[a-z][A-Za-z0-9]*$/;

/**
 * Returns the Lua statement that gives a body the names of its header, or nothing if it uses none:
 * `local state_key, opens_at = KEYS[1], ARGV[1] `. A key `lastId` becomes `last_id_key`, an
 * argument `opensAt` becomes `opens_at`; repeated inputs begin at `KEYS[first_key]` and
 * `ARGV[first_arg]`. It is one line without an end, so that line numbers stay, and binds only names
 * that the body mentions.
 * @throws ScriptHeaderMismatch if a name is invalid in Lua, means something else there, or is given twice
 */
export function prologueOf(definition: ScriptDefinition, body: string): string {
  const mentioned = namesIn(body);
  const bound = bindingsOf(definition).filter(({ name }) => mentioned.has(name));
  if (bound.length === 0) return '';
  const [names, values] = [bound.map(({ name }) => name), bound.map(({ value }) => value)];
  return `local ${names.join(', ')} = ${values.join(', ')} `;
}

/**
 * Redis itself detects a name without a value only when a script uses it.
 * @throws ScriptHeaderMismatch if a script uses a name that is neither bound, nor declared, nor
 *   given by Redis
 */
export function checkNames(definition: ScriptDefinition, lua: string): void {
  const declared = declaredIn(lua);
  const unknown = [...namesIn(lua)].filter((name) => !declared.has(name) && !GLOBALS.has(name));
  if (unknown.length === 0) return;
  const what = `uses ${unknown.join(', ')}, which its header does not name and it does not declare`;
  throw new ScriptHeaderMismatch(definition, what);
}

interface Binding {
  readonly name: string;
  readonly value: string;
}

function bindingsOf(definition: ScriptDefinition): Binding[] {
  const keys = fixedNames(definition, definition.keys).map((name) => `${name}_key`);
  const args = fixedNames(definition, definition.args);
  const bindings = [
    ...keys.map((name, i) => ({ name, value: `KEYS[${i + 1}]` })),
    ...args.map((name, i) => ({ name, value: `ARGV[${i + 1}]` })),
    { name: 'first_key', value: String(keys.length + 1) },
    { name: 'first_arg', value: String(args.length + 1) },
    { name: 'format_max', value: String(STATE_FORMAT_MAX) },
    { name: 'format_marked', value: String(MARKED_FORMAT) },
  ];
  checkNew(
    definition,
    bindings.map(({ name }) => name),
  );
  return bindings;
}

function checkNew(definition: ScriptDefinition, names: readonly string[]): void {
  const taken = new Set([...LUA_WORDS, ...GLOBALS, OWNER]);
  for (const name of names) {
    if (taken.has(name)) throw new ScriptHeaderMismatch(definition, `the name ${name} is taken`);
    taken.add(name);
  }
}

/** The names before the first repeated one, in Lua's spelling. */
function fixedNames(definition: ScriptDefinition, inputs: string): string[] {
  if (inputs === 'none') return [];
  const listed = inputs.split(' ');
  const repeating = listed.findIndex((name) => name.startsWith('(') || name.endsWith('*'));
  const names = repeating < 0 ? listed : listed.slice(0, repeating);
  const wrong = names.find((name) => !CAMEL_CASE.test(name));
  if (wrong !== undefined)
    throw new ScriptHeaderMismatch(definition, `the name ${wrong} is not in camelCase`);
  return names.map(snakeCase);
}

const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Returns every name in the code, except those of fields. */
function namesIn(lua: string): Set<string> {
  const names = codeOf(lua).match(/(?<![\w.:])[A-Za-z_]\w*/g) ?? [];
  return new Set(names.filter((name) => !LUA_WORDS.has(name)));
}

/** Returns locals, loop variables, functions and their parameters, wherever they are declared. */
function declaredIn(lua: string): Set<string> {
  const lists = codeOf(lua).match(
    /\b(?:local|for)\s+(?!function\b)\w+(?:\s*,\s*\w+)*|\bfunction\b[^(]*\([^)]*\)/g,
  );
  return new Set((lists ?? []).flatMap((list) => list.match(/\w+/g) ?? []));
}

/** Leaves out comments, strings, and the first line, which is for the server. */
const codeOf = (lua: string): string =>
  lua.replaceAll(/^#!.*|'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|--.*/g, ' ');
