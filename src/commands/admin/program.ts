import { Argument, Command as Parser, Option as ParserOption } from 'commander';
import { version } from '../../platform/version';
import type { Command } from './command';
import { completionScript, subcommandsOf, SHELLS } from './completion';
import { CONNECTION_OPTIONS } from './connection';
import type { Option, Options, Values } from './options';
import { printable } from './printable';
import { PROGRAM } from './program-name';
import type { Terminal } from './terminal';

const COMMON_OPTIONS: Options = { ...CONNECTION_OPTIONS, json: { help: 'print JSON, for machines' } };

const YES_OPTION: Options = { yes: { help: 'do not ask first' } };

/** A forgotten value must not swallow the next option: `--user --json` is refused. */
class CarefulParser extends Parser {
  override createCommand(name?: string): CarefulParser {
    return new CarefulParser(name);
  }

  override parseOptions(args: string[]) {
    for (let i = 0; i < args.length && args[i] !== '--'; i += 1) {
      const option = this.options.find((one) => one.required && one.long === args[i]);
      if (option === undefined) continue;
      i += 1;
      if (/^-./.test(args[i] ?? ''))
        this.error(
          `error: option '${option.flags}' needs a value. Write ${option.long}=${args[i]} if that is it.`,
        );
    }
    return super.parseOptions(args);
  }
}

/** Runs a command once it has been understood. */
type Act = (command: Command, parser: Parser, operands: string[], values: Values) => Promise<void>;

export function adminProgram(commands: readonly Command[], terminal: Terminal, act: Act): Parser {
  const program = rootOf(terminal);
  for (const command of commands) {
    const [, words, operands] = /^(.+?)((?: [<[].+)?)$/.exec(command.call)!;
    define(parserAt(program, words!.split(' '), operands!.trim()), command, act);
  }
  for (const group of program.commands.filter(({ commands: { length } }) => length > 0))
    group.description(group.commands.map((one) => one.name()).join(', '));
  defineCompletion(program, terminal.stdout);
  for (const { parser } of subcommandsOf(program)) parser.showHelpAfterError(hintOf(parser));
  return program;
}

function rootOf({ stdout, stderr }: Terminal): Parser {
  return new CarefulParser(PROGRAM)
    .description('Does what operators do, by requests of the public API.')
    .version(version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      outputError: (text, write) => write(text.split('\n').map(printable).join('\n')),
    })
    .addHelpText('after', '\nExit codes: 0 done, 1 refused or not as it should be, 2 not understood.');
}

function parserAt(program: Parser, words: readonly string[], operands: string): Parser {
  const [last, ...groups] = [...words].reverse();
  const group = groups.reduce(
    (parser, word) => parser.commands.find((one) => one.name() === word) ?? parser.command(word),
    program,
  );
  return group.command(`${last} ${operands}`.trim());
}

function define(parser: Parser, command: Command, act: Act): void {
  const options = { ...command.options, ...(command.asks && YES_OPTION), ...COMMON_OPTIONS };
  parser.description(command.help);
  for (const [name, option] of Object.entries(options)) parser.addOption(parserOption(name, option));
  if (parser.registeredArguments.length > 0)
    parser.addHelpText('after', '\nA name that begins with a dash comes last, after --.');
  parser.action(async () => {
    const values = valuesOf(options, parser);
    requireAll(options, values, parser);
    await act(command, parser, parser.args, values);
  });
}

function parserOption(name: string, { value, help, required, multiple, choices, parse, conflicts }: Option) {
  const notes = [required && 'required', multiple && 'more than one'].filter(Boolean);
  const option = new ParserOption(
    value === undefined ? `--${name}` : `--${name} ${value}`,
    help + (notes.length > 0 ? ` (${notes.join(', ')})` : ''),
  );
  if (choices) option.choices(choices);
  else if (parse) option.argParser(parse);
  if (multiple) {
    const one = option.parseArg as ((text: string, former: unknown) => unknown) | undefined;
    option.argParser((text: string, former: unknown[] = []) => [
      ...former,
      one ? one(text, undefined) : text,
    ]);
  }
  return option.conflicts(conflicts?.map(attributeOf) ?? []);
}

/** Whole help would push the error out of sight. */
const hintOf = (parser: Parser): string =>
  `Usage: ${parser.createHelp().commandUsage(parser)}\nMore:  --help`;

/** Commander names the value of `--last-sent-at` `lastSentAt`. */
const attributeOf = (name: string): string => new ParserOption(`--${name}`).attributeName();

function valuesOf(options: Options, parser: Parser): Values {
  const found: Record<string, unknown> = parser.opts();
  return Object.fromEntries(
    Object.keys(options)
      .map((name) => [name, found[attributeOf(name)]] as const)
      .filter(([, value]) => value !== undefined),
  );
}

/** A file with the whole body may contain fields that would otherwise have to be typed. */
function requireAll(options: Options, values: Values, parser: Parser): void {
  if (values.body !== undefined) return;
  const missing = Object.keys(options).filter(
    (name) => options[name]!.required && values[name] === undefined,
  );
  if (missing.length > 0) parser.error(`error: missing ${missing.map((name) => `--${name}`).join(', ')}`);
}

function defineCompletion(program: Parser, stdout: NodeJS.WritableStream): void {
  program
    .command('completion')
    .description('print a script with which a shell completes hongbao-admin')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .action((shell: (typeof SHELLS)[number]) => {
      stdout.write(completionScript(program, shell));
    });
}
