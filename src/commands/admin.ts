import { ApiProblem, Unreachable } from '../../libs/client';
import { activityCommands } from './admin/activity-commands';
import { approvalCommands } from './admin/approval-commands';
import { Arguments, UsageError } from './admin/arguments';
import { type Command, COMMON_OPTIONS, typedName } from './admin/command';
import { connect } from './admin/connection';
import { deadLetterCommands } from './admin/dead-letter-commands';
import { exportCommand } from './admin/export-command';
import { helpOf, usageOf } from './admin/help';
import { payoutCommands } from './admin/payout-commands';
import { printable, printableJson } from './admin/printable';
import { verifyCommand } from './admin/verify-command';
import { walletCommands } from './admin/wallet-commands';
import { webhookCommands } from './admin/webhook-commands';

const COMMANDS: readonly Command[] = [
  ...activityCommands,
  ...walletCommands,
  ...deadLetterCommands,
  ...approvalCommands,
  ...payoutCommands,
  ...webhookCommands,
  verifyCommand,
  exportCommand,
];

const DONE = 0;
const REFUSED = 1;
const NOT_UNDERSTOOD = 2;

/** `npm run admin`: the work of operators, by requests of the public API alone. */
async function admin(typed: readonly string[]): Promise<number> {
  const command = COMMANDS.find(({ words }) => words.split(' ').every((word, i) => word === typed[i]));
  if (command === undefined) return explain(typed);
  const rest = typed.slice(command.words.split(' ').length);
  const asJson = asksFor('--json', rest);
  try {
    return await run(command, rest);
  } catch (error) {
    say(process.stderr, linesOf(error, command, asJson));
    if (!(error instanceof UsageError)) return REFUSED;
    say(process.stderr, ['', usageOf(command)]);
    return NOT_UNDERSTOOD;
  }
}

async function run(command: Command, typed: string[]): Promise<number> {
  if (asksFor('--help', typed)) {
    say(process.stdout, [usageOf(command)]);
    return DONE;
  }
  const args = Arguments.parse(typed, { ...command.options, ...COMMON_OPTIONS }, command.operands);
  const found = await command.run(connect(args), args);
  if (found === undefined) return DONE;
  say(process.stdout, [args.has('json') ? printableJson(found.value) : found.text]);
  return found.isBad ? REFUSED : DONE;
}

/** The arguments after `--` are operands, whatever they look like: a user may be named `--help`. */
function asksFor(option: string, typed: readonly string[]): boolean {
  const end = typed.indexOf('--');
  return (end < 0 ? typed : typed.slice(0, end)).includes(option);
}

/** A request for help is a success; an unknown command is a mistake. */
function explain(typed: readonly string[]): number {
  const isAsked = asksFor('--help', typed);
  const unknown =
    typed.length > 0 && !isAsked ? [printable(`There is no command ${typed.join(' ')}.`), ''] : [];
  say(isAsked ? process.stdout : process.stderr, [...unknown, helpOf(COMMANDS)]);
  return isAsked ? DONE : NOT_UNDERSTOOD;
}

function linesOf(error: unknown, command: Command, asJson: boolean): string[] {
  if (!(error instanceof ApiProblem)) return [printable(reasonOf(error))];
  const { status, code, detail, errors, requestId } = error;
  if (asJson) return [printableJson({ status, code, detail, errors, requestId })];
  return [
    `${status} ${code}: ${detail}`,
    ...errors.map(({ field, message }) => `  ${typedName(field, command)} ${message}`),
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

function say(stream: NodeJS.WriteStream, lines: readonly string[]): void {
  stream.write(`${lines.join('\n')}\n`);
}

// A reader that has read enough, such as head, is no fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(DONE);
});

void admin(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
