import { type Command as Parser, CommanderError } from 'commander';
import { ApiProblem, Unreachable } from '../../../libs/client';
import type { Command, Typed } from './command';
import { COMMANDS } from './commands';
import { connect } from './connection';
import { typedName, UsageError } from './options';
import { printable, printableJson } from './printable';
import { adminProgram } from './program';
import { isConfirmed, type Terminal } from './terminal';

const DONE = 0;
const REFUSED = 1;
const NOT_UNDERSTOOD = 2;

/** Runs one command, and returns its exit code. */
export async function runAdmin(argv: readonly string[], terminal: Terminal): Promise<number> {
  let code = DONE;
  const program = adminProgram(COMMANDS, terminal, async (command, parser, operands, values) => {
    code = await perform(command, parser, { operands, values, terminal });
  });
  try {
    await program.parseAsync(argv, { from: 'user' });
    return code;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? DONE : NOT_UNDERSTOOD;
  }
}

async function perform(command: Command, parser: Parser, typed: Typed): Promise<number> {
  const { values, terminal } = typed;
  try {
    const api = connect(values, terminal.env());
    if (!(await isMeant(command, parser, typed))) return REFUSED;
    const found = await command.run(api, typed);
    if (found === undefined) return DONE;
    say(terminal.stdout, [values.json ? printableJson(found.value) : found.text]);
    return found.isBad ? REFUSED : DONE;
  } catch (error) {
    if (error instanceof UsageError) parser.error(`error: ${error.message}`);
    say(terminal.stderr, linesOf(error, command, typed));
    return REFUSED;
  }
}

async function isMeant({ asks }: Command, parser: Parser, typed: Typed): Promise<boolean> {
  const { operands, values, terminal } = typed;
  if (asks === undefined || values.yes) return true;
  const names = parser.registeredArguments.map((argument) => `<${argument.name()}>`);
  const question = names.reduce((text, name, i) => text.replace(name, () => operands[i]!), asks);
  const isYes = await isConfirmed(question, terminal);
  if (!isYes) say(terminal.stderr, ['Nothing was done.']);
  return isYes;
}

function linesOf(error: unknown, { options = {} }: Command, { values }: Typed): string[] {
  if (!(error instanceof ApiProblem)) return [printable(reasonOf(error))];
  const { status, code, detail, errors, requestId } = error;
  if (values.json) return [printableJson({ status, code, detail, errors, requestId })];
  return [
    `${status} ${code}: ${detail}`,
    ...errors.map(({ field, message }) => `  ${typedName(field, options, values)} ${message}`),
    ...(requestId === undefined ? [] : [`  request ${requestId}`]),
  ].map(printable);
}

/** `fetch` puts the reason into the error's cause. */
function reasonOf(error: unknown): string {
  if (error instanceof Unreachable) return error.message;
  if (!(error instanceof Error)) return String(error);
  const { code, message } = (error.cause ?? {}) as { code?: string; message?: string };
  return [error.message, code ?? message].filter(Boolean).join(': ');
}

function say(stream: NodeJS.WritableStream, lines: readonly string[]): void {
  stream.write(`${lines.join('\n')}\n`);
}
