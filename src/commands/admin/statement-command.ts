import { pipeline } from 'node:stream/promises';
import type { Command } from './command';
import { CURRENCY_OPTION, UsageError } from './options';

const FORMATS = ['json', 'csv', 'camt053'] as const;

export const statementCommand: Command = {
  call: 'wallets statement <user> <day>',
  help: 'balances and movements of a wallet on a day (UTC); exit code 1 when it is incomplete',
  options: { format: { value: '<format>', help: 'json unless given', choices: FORMATS }, ...CURRENCY_OPTION },
  sends: ['readStatement'],
  run: async (api, { operands: [user, day], values, terminal }) => {
    if (values.json !== undefined) throw new UsageError('--format json is what --json would be.');
    const format = (values.format ?? 'json') as (typeof FORMATS)[number];
    const currency = values.currency as string | undefined;
    const bytes = await api.readStatement(user!, day!, { format, currency });
    await pipeline(bytes, terminal.stdout, { end: false }).catch((error: unknown) => {
      throw new Error('The statement is incomplete: the connection was cut', { cause: error });
    });
    return undefined;
  },
};
