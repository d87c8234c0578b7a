import { basename } from 'node:path';
import type { Options } from './arguments';
import { type Command, COMMON_OPTIONS } from './command';

/** The package `@hongbao/client` has the same program by a name of its own. */
const PROGRAM = basename(process.argv[1]!).startsWith('hongbao-admin') ? 'hongbao-admin' : 'npm run admin --';

export function helpOf(commands: readonly Command[]): string {
  const lines = commands.map((command) => [callOf(command), command.help] as const);
  return [
    `Usage: ${PROGRAM} COMMAND [options]`,
    '',
    columns(lines),
    '',
    optionsOf(COMMON_OPTIONS),
    '',
    'Exit codes: 0 done, 1 refused or not as it should be, 2 not understood.',
  ].join('\n');
}

export function usageOf(command: Command): string {
  const { options = {}, help } = command;
  return [
    `Usage: ${PROGRAM} ${callOf(command)} [options]`,
    `       ${help}`,
    '',
    optionsOf({ ...options, ...COMMON_OPTIONS }),
  ].join('\n');
}

const callOf = ({ words, operands = [] }: Command): string => [words, ...operands].join(' ');

function optionsOf(options: Options): string {
  return columns(
    Object.entries(options).map(([name, { value, help, required, multiple }]) => [
      value === undefined ? `--${name}` : `--${name} ${value}`,
      help + (required ? ' (required)' : '') + (multiple ? ' (more than one)' : ''),
    ]),
  );
}

function columns(lines: readonly (readonly [string, string])[]): string {
  const width = Math.max(...lines.map(([left]) => left.length));
  return lines.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n');
}
