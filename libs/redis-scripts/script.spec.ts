import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repairScripts } from './own-redis';
import { closingScripts } from './rain-closing';
import { contentScripts } from './rain-contents';
import { sentOnScripts } from './sent-on-notes';
import { loadingScripts } from './rain-loading';
import { reservationScripts } from './reservations';
import { serverScripts } from './servers';
import { journalScripts } from './shard-journals';
import { callScripts } from './latest-calls';
import { tapScripts } from './tap-tallies';
import { trustScripts } from './shard-trust';
import { standingScripts } from './standings';
import { waitingScripts } from './waiting-lists';
import { sourceOf, textOf } from './script';
import { checkHeader, type ScriptDefinition, ScriptHeaderMismatch } from './script-header';
import * as eventDefinitions from './event-script-definitions';

const LUA = join(__dirname, 'lua');

const sample: ScriptDefinition = {
  name: 'sample',
  keys: 'state (packets claims)*',
  args: 'userId packet*',
  returns: 'outcome',
};

const header = {
  script: '-- @script  sample',
  keys: '-- @keys    state (packets claims)*',
  args: '-- @args    userId packet*',
  returns: '-- @returns outcome',
};

const source = (lines: object): string => `${Object.values(lines).join('\n')}\n\nreturn 'outcome'\n`;

describe('the check of a header', () => {
  it('a header that agrees with its definition is accepted', () => {
    expect(() => checkHeader(sample, source(header))).not.toThrow();
  });

  it.each([
    ['another name', { script: '-- @script  simple' }],
    ['another key', { keys: '-- @keys    state (packets journal)*' }],
    ['keys in another order', { keys: '-- @keys    (packets claims)* state' }],
    ['one key too few', { keys: '-- @keys    state' }],
    ['another argument', { args: '-- @args    user packet*' }],
    ['one argument too many', { args: '-- @args    userId packet* fate' }],
    ['another result', { returns: '-- @returns outcome*' }],
    ['no name', { script: '' }],
    ['no keys', { keys: '' }],
    ['no arguments', { args: '' }],
    ['no result', { returns: '' }],
  ])('refuses a header with %s', (_, wrong) => {
    const lua = source({ ...header, ...wrong });
    expect(() => checkHeader(sample, lua)).toThrow(ScriptHeaderMismatch);
  });

  it('a file without a header is refused', () => {
    expect(() => checkHeader(sample, "return redis.call('TIME')\n")).toThrow(ScriptHeaderMismatch);
  });

  it('a refusal names the file, the text of its header and that of its definition', () => {
    const lua = source({ ...header, args: '-- @args    user' });
    expect(() => checkHeader(sample, lua)).toThrow(
      'sample.lua: header says @args "user", its definition says "userId packet*"',
    );
  });
});

describe('the text of a script', () => {
  const inputs = { keys: 'state lastId (packets claims)*', args: 'userId opensAt packet*' };
  const script = (body: string, changed: Partial<ScriptDefinition> = {}) => {
    const definition = { ...sample, ...inputs, ...changed };
    const { name, keys, args, returns } = definition;
    const lines = [
      `-- @script  ${name}`,
      `-- @keys    ${keys}`,
      `-- @args    ${args}`,
      `-- @returns ${returns}`,
    ];
    return { definition, source: `${lines.join('\n')}\n\n${body}\n` };
  };
  const text = (...[body, changed]: Parameters<typeof script>) => {
    const { definition, source } = script(body, changed);
    return textOf(definition, source);
  };

  it('the names in the header are bound to the values of the inputs', () => {
    expect(text('return { state_key, last_id_key, user_id, opens_at }')).toMatch(
      /^local state_key, last_id_key, user_id, opens_at = KEYS\[1\], KEYS\[2\], ARGV\[1\], ARGV\[2\] --/,
    );
  });

  it('first_key and first_arg are the indexes at which repeated inputs begin', () => {
    expect(text('return { KEYS[first_key], unpack(ARGV, first_arg) }')).toMatch(
      /^local first_key, first_arg = 3, 3 --/,
    );
  });

  it('a name that only comments, strings and fields mention is not bound', () => {
    const body = `-- state_key isn't used\nlocal found = redis.call('user_id')\nreturn found.opens_at`;
    expect(text(body)).toBe(script(body).source);
  });

  it('every line keeps its number', () => {
    const { source } = script('\nreturn state_key');
    expect(text('\nreturn state_key').split('\n').slice(1)).toEqual(source.split('\n').slice(1));
  });

  it('the line for the server stays before the fence', () => {
    const { definition, source } = script('return { owner, state_key }');
    const fenced = textOf(definition, `#!lua\n${source}`, { fenced: true });
    expect(fenced).toMatch(/^#!lua\nlocal owner = .* end local state_key = KEYS\[1\] -- @script/);
  });

  it.each([
    ['a name that the header does not have', 'return closes_at', {}, 'sample.lua: uses closes_at,'],
    ['a name that the header spells otherwise', 'return user_id', { args: 'userID' }, 'uses user_id,'],
    ['the name of an argument where a key has it', 'return state', {}, 'uses state,'],
    ['an owner without a fence', 'return owner', {}, 'uses owner,'],
    ['a name with a hyphen', 'return 1', { args: 'user-id' }, 'the name user-id is not in camelCase'],
    ['a word of Lua', 'return 1', { args: 'end' }, 'the name end is taken'],
    ['a function of Lua', 'return 1', { args: 'unpack' }, 'the name unpack is taken'],
    ['the name of the installation', 'return 1', { args: 'owner' }, 'the name owner is taken'],
    ['a name twice', 'return 1', { args: 'stateKey' }, 'the name state_key is taken'],
  ])('a script is refused with %s', (_, body, changed, message) => {
    expect(() => text(body, changed)).toThrow(ScriptHeaderMismatch);
    expect(() => text(body, changed)).toThrow(message);
  });

  it('locals, loop variables, functions and their parameters are known names', () => {
    const body = `
      local a, b = 1
      local function sum(c, d) return c + d end
      for i = 1, 2 do a = i end
      for _, e in ipairs(KEYS) do b = sum(a, e) end
      return b`;
    expect(text(body)).toBe(script(body).source);
  });
});

describe('the Lua files', () => {
  const files = readdirSync(LUA).sort();
  const known: ScriptDefinition[] = [
    sentOnScripts,
    repairScripts,
    reservationScripts,
    journalScripts,
    loadingScripts,
    closingScripts,
    contentScripts,
    waitingScripts,
    trustScripts,
    serverScripts,
    standingScripts,
    tapScripts,
    callScripts,
    { ...eventDefinitions },
  ].flatMap((scripts) => Object.values<ScriptDefinition>(scripts));

  it('each Lua file has a definition, and each definition has a file', () => {
    expect(files).toEqual(known.map(({ name }) => `${name}.lua`).sort());
  });

  it.each(known.map((definition) => [definition.name, definition] as const))(
    'include %s, whose header matches its definition and names everything that it uses',
    (_, definition) => void textOf(definition, sourceOf(definition), { fenced: true }),
  );

  // The hot path counts every instruction, and all of its keys repeat.
  it.each(files.filter((file) => file !== 'grab.lua'))(
    'include %s, which counts no inputs by itself',
    (file) => {
      expect(readFileSync(join(LUA, file), 'utf8')).not.toMatch(/\b(KEYS|ARGV)\[\d/);
    },
  );

  it.each(files)('%s says in its first line what a server with full memory does with it', (file) => {
    expect(readFileSync(join(LUA, file), 'utf8')).toMatch(/^#!lua(?: flags=(?:no-writes|allow-oom))?\n/);
  });

  it.each(files)('%s does not make key names by itself', (file) => {
    const code = readFileSync(join(LUA, file), 'utf8').replaceAll(/^\s*--.*$/gm, '');
    expect(code).not.toMatch(/['"]rp:/);
  });
});
