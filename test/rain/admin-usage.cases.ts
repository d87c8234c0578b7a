import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import type { Command } from '../../src/commands/admin/command';
import { COMMANDS } from '../../src/commands/admin/commands';
import { pathsOf } from '../../src/commands/admin/options';
import { isConfirmed } from '../../src/commands/admin/terminal';
import { type Operation, readApi, type Schema } from '../harness/api-operations';
import { runCommand, typed } from '../harness/command-line';
import { rain } from '../harness/shared-installation';

/** No test of this file sends anything there. */
const API = { HONGBAO_URL: 'http://127.0.0.1:1', HONGBAO_TOKEN: 'x.y.z' };

const wordsOf = ({ call }: Command): string => call.replace(/ [<[].*/, '');
const CALLS = [...COMMANDS.map(wordsOf), 'completion'];

describe('how the command line of operators is used', () => {
  it.each<[string, string[], string]>([
    ['nothing', [], 'Usage:'],
    ['an unknown command', ['activities', 'destroy'], "unknown command 'destroy'"],
    ['an unknown option', ['webhooks', 'list', '--all'], "unknown option '--all'"],
    ['too few operands', ['activities', 'show'], "missing required argument 'id'"],
    ['too many operands', ['webhooks', 'list', '1'], 'Expected 0 arguments but got 1'],
    ['a missing option', ['wallets', 'deposit', 'nina'], 'missing --amount'],
    [
      'a word in place of a number',
      ['activities', 'list', '--limit', 'many'],
      "option '--limit <n>' argument 'many' is invalid. It must be a whole number.",
    ],
    [
      'two ways to split',
      ['activities', 'top-up', '1', '--amount', '1', '--packets', '1', '--equal', '--min', '1'],
      "option '--equal' cannot be used with option '--min <amount>'",
    ],
    [
      'an unknown export',
      ['export', 'winners', '1'],
      'What to export must be one of claims, ledger, payouts, results.',
    ],
    ['an unknown format', ['export', 'claims', '1', '--format', 'xml'], 'Allowed choices are csv, ndjson.'],
    ['--json without --output', ['export', 'claims', '1', '--json'], '--json needs --output'],
    [
      'a value that looks like an option',
      ['activities', 'list', '--sponsor', '-ann'],
      'Write --sponsor=-ann if that is it.',
    ],
    [
      'an option where a value belongs',
      ['wallets', 'deposit', 'ann', '--amount', '--json'],
      "option '--amount <amount>' needs a value",
    ],
    [
      'a value that the API does not accept',
      ['activities', 'list', '--phase', 'raining'],
      'Allowed choices are',
    ],
    ['a tier without a count', ['activities', 'preview', '--tier', '8.88'], 'such as 8.88x10.'],
    ['a missing body file', ['activities', 'create', '--body', 'none.json'], 'cannot be read: ENOENT'],
    ['a missing logo file', ['activities', 'look', '1', '--logo', 'none.png'], 'cannot be read: ENOENT'],
    ['an unsupported shell', ['completion', 'tcsh'], 'Allowed choices are bash, zsh, fish.'],
    ['an operand that looks like an option', ['wallets', 'show', '-ann'], "unknown option '-ann'"],
    [
      'an address that is not a URL',
      ['webhooks', 'list', '--url', 'here'],
      'Set HONGBAO_URL or --url to the API',
    ],
    ['an address without a scheme', ['webhooks', 'list', '--url', 'here:3000'], 'Set HONGBAO_URL'],
    [
      'a key for an activity that opens at once',
      [
        ...typed('activities create --name Lunch --sponsor shop --total 1.00 --packets 1'),
        ...typed('--closes 2031-01-01T20:00:00Z --key lunch'),
      ],
      '--key needs --opens',
    ],
    [
      'a malformed token',
      ['webhooks', 'list', '--token', 'two words'],
      'Set a token in HONGBAO_TOKEN or with --token.',
    ],
  ])('exits with 2 and prints the usage if it is given %s', async (_, args, line) => {
    const { code, stdout, stderr } = await runCommand(args, API);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(line);
    expect(stderr).toContain('Usage: npm run admin -- ');
  });

  it('suggests a similar name for an unknown command or option', async () => {
    const meant = async (...args: string[]) => (await runCommand(args, API)).stderr;
    expect(await meant('activites', 'list')).toContain('(Did you mean activities?)');
    expect(await meant('channels', 'pasue', '1')).toContain('(Did you mean pause?)');
    expect(await meant('activities', 'create', '--totla', '5')).toContain('(Did you mean --total?)');
  });

  it('prints the version of the program, and nothing else, for --version', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect(await runCommand(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });

  it('says how each command is used, with all of its options', async () => {
    for (const command of COMMANDS) {
      const { code, stdout } = await runCommand([...wordsOf(command).split(' '), '--help']);
      expect([code, stdout.split('\n')[0]]).toEqual([0, expect.stringContaining(wordsOf(command))]);
      for (const name of Object.keys(command.options ?? {})) expect(stdout).toContain(`  --${name}`);
    }
  });

  it('gives no option of a command the name of a common option', () => {
    const common = ['url', 'token', 'json', 'yes', 'help', 'version'];
    const taken = COMMANDS.flatMap(({ call, options = {} }) =>
      common.filter((name) => name in options).map((name) => `${call}: --${name}`),
    );
    expect(taken).toEqual([]);
  });

  it('lists every command in its help, in the help of npm run admin before anything is built, and in the docs', async () => {
    const { stdout } = await runCommand(['--help']);
    const shown = Array.from(
      stdout.replace(/\n {20,}/g, ' ').matchAll(/^ {2}([a-z-]+) .*$/gm),
      ([line]) => line,
    );
    const page = readFileSync('docs/operations.md', 'utf8');
    const [usage] = /^ {2}admin: `[^`]*/m.exec(readFileSync('src/dev/launcher/usage.mjs', 'utf8'))!;
    for (const call of CALLS) {
      const [group, verb = ''] = call.split(' ') as [string, string?];
      const listed = new RegExp(`^ {2}${group} .*\\b${verb}(,|$)`, 'm');
      expect(shown.join('\n').replace(/ +/g, ' ')).toMatch(
        verb ? new RegExp(`^ ${group} .*\\b${verb}(,|$)`, 'm') : group,
      );
      expect(usage.replace(/\n {10,}/g, ' ')).toMatch(verb ? listed : new RegExp(`^ {2}${group} `, 'm'));
      const row = page.split('\n').find((line) => line.startsWith(`| \`${group}\` `));
      expect([call, row]).toEqual([call, expect.stringContaining(verb && `\`${verb}\``)]);
    }
  });

  it('never echoes a character that reverses text, moves the cursor or is invisible', async () => {
    const { stderr } = await runCommand(['\u202edrop\u001b[2J', '\u200b']);
    expect(stderr).toMatch(/^error: unknown command '\?drop\?\[2J'\n/);
  });

  describe('a question', () => {
    const answered = async (typed: string, isTTY = true) => {
      const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
      const terminal = { env: () => ({}), stdin: Object.assign(stdin, { isTTY }), stdout };
      const confirmed = isConfirmed('Close activity 7\u202e?', {
        ...terminal,
        stderr: Object.assign(stderr, { isTTY }),
      });
      stdin.end(typed);
      return { confirmed: await confirmed, asked: String(stderr.read() ?? '') };
    };

    it.each([
      ['y\n', true],
      ['YES\n', true],
      ['\n', false],
      ['n\n', false],
      ['', false],
    ])('on a terminal is answered %j: %s', async (typed, confirmed) => {
      const answer = await answered(typed);
      expect(answer.confirmed).toBe(confirmed);
      expect(answer.asked).toContain('Close activity 7?? [y/N] ');
    });

    it('is asked only if a person can answer', async () => {
      expect(await answered('', false)).toEqual({ confirmed: true, asked: '' });
    });
  });

  describe('the completion', () => {
    /** Lets a real bash complete the last word. */
    const completed = async (...words: string[]): Promise<string[]> => {
      const { stdout } = await runCommand(['completion', 'bash']);
      const typed = words.map((word) => `'${word}'`).join(' ');
      const script = `${stdout}\nCOMP_WORDS=(hongbao-admin ${typed}) COMP_CWORD=${words.length}\n_hongbao_admin\nprintf '%s\\n' "\${COMPREPLY[@]}"`;
      const answer = execFileSync('bash', ['--norc', '-c', script], { encoding: 'utf8' });
      return answer.split('\n').filter(Boolean);
    };

    it('in a real bash offers commands, options and the words that an option takes', async () => {
      expect(await completed('chan')).toEqual(['channels']);
      expect(await completed('channels', 'p')).toEqual(['pause']);
      expect(await completed('activities', 'create', '--tot')).toEqual(['--total']);
      expect(await completed('activities', 'list', '--phase', 's')).toEqual([
        'scheduled',
        'sold-out',
        'settled',
      ]);
      expect(await completed('webhooks', 'dead-letters', '7', '--cur')).toEqual(['--cursor']);
      expect(await completed('completion', '')).toEqual(expect.arrayContaining(['bash', 'zsh', 'fish']));
      const groups = [...new Set(CALLS.map((call) => call.split(' ')[0]))];
      expect(await completed('')).toEqual(expect.arrayContaining(groups));
    });

    it('leaves values that it cannot know, such as a file, to the shell', async () => {
      expect(await completed('export', 'claims', '7', '--output', '')).toEqual([]);
    });

    it.each([
      ['zsh', 'autoload -U +X bashcompinit'],
      ['fish', "complete -c hongbao-admin -n '__hongbao_admin_at \\'^channels$\\'' -f -a pause"],
    ])('has a script for %s', async (shell, line) => {
      const { code, stdout } = await runCommand(['completion', shell]);
      expect(code).toBe(0);
      expect(stdout).toContain(line);
    });
  });
});

/** Operations of staff that people do not need at a terminal. */
const LEFT_OUT: Record<string, string> = {
  openGateway: 'a connection of players',
  readClock: 'programs ask for it',
  reportRehearsal: 'npm run rehearse reports',
};

describe('the command line of operators, compared with the API document,', () => {
  let operations: Map<string, Operation>;
  let schemas: Readonly<Record<string, Schema>>;

  beforeAll(async () => {
    const api = await readApi(rain.url);
    schemas = api.schemas;
    operations = new Map(api.operations.map((one) => [one.operationId, one]));
  });

  const resolved = (schema: Schema): Schema =>
    schema.$ref === undefined ? schema : resolved(schemas[schema.$ref.split('/').at(-1)!]!);

  /** Each nested field by its path, with its schema. A list is one field. */
  const leavesOf = (given: Schema, path = ''): [path: string, Schema][] => {
    const schema = resolved(given);
    const parts = schema.allOf ?? schema.anyOf ?? schema.oneOf;
    if (parts) return parts.flatMap((part) => leavesOf(part, path));
    if (!schema.properties) return [[path, schema]];
    return Object.entries(schema.properties).flatMap(([name, part]) =>
      leavesOf(part, path === '' ? name : `${path}.${name}`),
    );
  };

  const fieldsOf = (operation: Operation): Map<string, Schema> => {
    const query = (operation.parameters ?? []).filter((one) => one.in === 'query');
    const body = operation.requestBody?.content['application/json']?.schema;
    return new Map([
      ...query.map(({ name, schema }): [string, Schema] => [name, resolved(schema)]),
      ...(body ? leavesOf(body) : []),
    ]);
  };

  const single = COMMANDS.filter(({ sends: { length } }) => length === 1);
  const optionsOf = (command: Command) =>
    Object.entries(command.options ?? {}).filter(([name]) => name !== 'key' && name !== 'body');

  it('reaches every operation of operators, except those that only programs need', () => {
    const sent = new Set<string>(COMMANDS.flatMap(({ sends }) => sends));
    const staff = Array.from(operations).filter(
      ([, { description = '', path }]) =>
        /^Roles:.*`(operator|finance)`/m.test(description) && !/\/me\b/.test(path),
    );
    const missing = staff.map(([name]) => name).filter((name) => !sent.has(name));
    expect(missing.sort()).toEqual(Object.keys(LEFT_OUT).sort());
    expect([...sent].filter((name) => !operations.has(name))).toEqual([]);
  });

  it('has options for exactly the fields that an operation takes', () => {
    for (const name of new Set(single.map(({ sends }) => sends[0]!))) {
      const commands = single.filter(({ sends }) => sends[0] === name);
      const fields = [...fieldsOf(operations.get(name)!).keys()];
      const typed = commands.flatMap((command) => [
        ...optionsOf(command).flatMap(([option, terms]) => pathsOf(option, terms)),
        ...Object.keys(command.body ?? {}),
      ]);
      expect([name, fields.filter((field) => !typed.includes(field) && field !== '')]).toEqual([name, []]);
      expect([name, typed.filter((path) => !fields.some((one) => `${one}.`.startsWith(`${path}.`)))]).toEqual(
        [name, []],
      );
    }
  });

  it('accepts exactly the values that the API accepts, and suggests them', () => {
    for (const command of single) {
      const fields = fieldsOf(operations.get(command.sends[0]!)!);
      for (const [name, option] of optionsOf(command)) {
        const schema = fields.get(option.field ?? name);
        const words =
          option.value === undefined
            ? undefined
            : (schema?.enum ?? (schema?.items && resolved(schema.items).enum));
        expect([command.call, name, option.choices]).toEqual([command.call, name, words]);
      }
    }
  });

  it('takes an Idempotency-Key and a whole body wherever the API does', () => {
    for (const { call, sends, options = {} } of single) {
      const { parameters = [], requestBody } = operations.get(sends[0]!)!;
      const takesKey = parameters.some(({ name }) => name === 'Idempotency-Key');
      expect([call, 'key' in options]).toEqual([call, takesKey]);
      if (Object.keys(options).some((name) => name !== 'key'))
        expect([call, 'body' in options]).toEqual([call, requestBody !== undefined]);
    }
  });

  it('shows a currency wherever it lists amounts that have one', () => {
    for (const { call, sends, columns } of single) {
      if (columns === undefined) continue;
      const { content } = operations.get(sends[0]!)!.responses['200']!;
      const items = resolved(resolved(content!['application/json']!.schema).properties!.items!).items!;
      const hasCurrency = 'currency' in resolved(items).properties!;
      expect([call, columns.includes('currency')]).toEqual([call, hasCurrency]);
    }
  });
});
