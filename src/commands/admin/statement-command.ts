import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { Command } from './command';
import { uncut, writeWhole } from './export-command';
import { CURRENCY_OPTION, UsageError } from './options';

const FORMATS = ['json', 'csv', 'camt053'] as const;

export const statementCommand: Command = {
  call: 'wallets statement <user> <day>',
  help: 'balances and movements of a wallet on a day (UTC) as a file; exit code 1 when it is not whole',
  options: {
    format: { value: '<format>', help: 'json unless given', choices: FORMATS },
    ...CURRENCY_OPTION,
    output: { value: '<file>', help: 'written when it is whole; standard output unless given', local: true },
  },
  sends: ['readStatement'],
  run: async (api, { operands: [user, day], values, terminal }) => {
    const file = values.output as string | undefined;
    if (file === undefined && values.json !== undefined)
      throw new UsageError('--json needs --output: the statement itself may not be JSON.');
    const format = (values.format ?? 'json') as (typeof FORMATS)[number];
    const currency = values.currency as string | undefined;
    const bytes = uncut(await api.readStatement(user!, day!, { format, currency }));
    if (file === undefined) return void (await pipeline(bytes, terminal.stdout, { end: false }));
    await writeWhole(file, (part) => pipeline(bytes, createWriteStream(part)));
    return { value: { file }, text: `Wrote ${file}.` };
  },
};
