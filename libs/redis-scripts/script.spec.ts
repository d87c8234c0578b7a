import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkHeader, type ScriptDefinition, ScriptHeaderMismatch } from './script';
import * as dispenserDefinitions from './script-definitions';
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

describe('checkHeader', () => {
  it('accepts a header that says what its definition says', () => {
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

  it('refuses a file without a header', () => {
    expect(() => checkHeader(sample, "return redis.call('TIME')\n")).toThrow(ScriptHeaderMismatch);
  });

  it('names the file, what its header says and what its definition says', () => {
    const lua = source({ ...header, args: '-- @args    user' });
    expect(() => checkHeader(sample, lua)).toThrow(
      'sample.lua: header says @args "user", its definition says "userId packet*"',
    );
  });
});

describe('the Lua files', () => {
  const files = readdirSync(LUA).sort();
  const known: ScriptDefinition[] = Object.values({ ...dispenserDefinitions, ...eventDefinitions });

  it('have a definition each, and each definition has a file', () => {
    expect(files).toEqual(known.map(({ name }) => `${name}.lua`).sort());
  });

  it.each(known.map((definition) => [definition.name, definition] as const))(
    'include %s, whose header matches its definition',
    (name, definition) => checkHeader(definition, readFileSync(join(LUA, `${name}.lua`), 'utf8')),
  );

  it.each(files)('include %s, which makes no key name by itself', (file) => {
    const code = readFileSync(join(LUA, file), 'utf8').replaceAll(/^\s*--.*$/gm, '');
    expect(code).not.toMatch(/['"]rp:/);
  });
});
