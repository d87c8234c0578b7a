import type { Schema } from '../../../libs/client';

export const WALLET_KINDS: Readonly<Record<Schema<'EntryDto'>['kind'], string>> = {
  deposit: 'Deposit',
  fund: 'Funded',
  'top-up': 'Top-up',
  credit: 'Won',
  void: 'Void',
  refund: 'Refund',
  payout: 'Payout',
  'payout-paid': 'Payout paid',
  'payout-refused': 'Payout refused',
  'payout-returned': 'Payout returned',
};

export const LETTER_REASONS: Readonly<Record<Schema<'DeadLetterDto'>['reason'], string>> = {
  wallet_frozen: 'The wallet is frozen',
  settlement_failed: 'The payment kept failing',
  held: 'Held until staff have looked at it',
};
