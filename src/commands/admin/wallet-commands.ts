import type { Command } from './command';
import { CURRENCY_OPTION, PAGE_OPTIONS, wholeNumber } from './options';
import { request } from './request';

const ENTRY_KINDS = [
  ...['deposit', 'reversal', 'fund', 'top-up', 'credit', 'void', 'refund'],
  ...['payout', 'payout-paid', 'payout-refused', 'payout-returned'],
];

export const walletCommands: readonly Command[] = [
  request('listWallets', {
    call: 'wallets list',
    help: 'wallets by the ids of their owners',
    options: {
      owner: { value: '<text>', help: 'only owners whose id begins with it', field: 'ownerId' },
      status: { value: '<status>', help: 'only wallets in this state', choices: ['active', 'frozen'] },
      ...CURRENCY_OPTION,
      ...PAGE_OPTIONS,
    },
    columns: ['ownerId', 'balance', 'currency', 'status', 'createdAt'],
  }),
  request('readWallet', {
    call: 'wallets show <user>',
    help: 'balance, pending money and status of a wallet',
    options: CURRENCY_OPTION,
  }),
  request('depositMoney', {
    call: 'wallets deposit <user>',
    help: 'bring money from the outside world into a wallet',
    options: {
      amount: { value: '<amount>', help: 'how much, such as 500.00', required: true },
      ...CURRENCY_OPTION,
      reference: { value: '<text>', help: 'what the money is known as outside' },
    },
  }),
  request('reverseDeposit', {
    call: 'wallets reverse <transfer>',
    help: 'take a deposit back out of its wallet, once a second person approves it',
    options: { reason: { value: '<text>', help: 'why it was a mistake', required: true } },
  }),
  request('freezeWallet', {
    call: 'wallets freeze <user>',
    help: 'take no more credits and deposits into it, and pay nothing from it',
    options: CURRENCY_OPTION,
  }),
  request('unfreezeWallet', {
    call: 'wallets unfreeze <user>',
    help: 'end that; its dead letters wait for a replay',
    options: CURRENCY_OPTION,
  }),
  request('listWalletEntries', {
    call: 'wallets entries <user>',
    help: 'ledger lines of a wallet, newest first',
    options: {
      activity: { value: '<id>', help: 'only lines of an activity', field: 'activityId' },
      kind: { value: '<kind>', help: 'only lines of a kind', choices: ENTRY_KINDS },
      from: { value: '<instant>', help: 'only lines of this moment and later' },
      to: { value: '<instant>', help: 'only lines before this moment' },
      ...CURRENCY_OPTION,
      ...PAGE_OPTIONS,
    },
    columns: ['transferId', 'kind', 'amount', 'currency', 'activityId', 'reference', 'reversedBy', 'at'],
  }),
  request('listSponsors', {
    call: 'sponsors list',
    help: 'who paid for activities, and what their wallets and open activities hold',
    options: {
      sponsor: { value: '<text>', help: 'only sponsors whose id begins with it', field: 'sponsorId' },
      ...CURRENCY_OPTION,
      ...PAGE_OPTIONS,
    },
    columns: ['sponsorId', 'balance', 'inActivities', 'currency', 'activities', 'status'],
  }),
  request('readTransfer', {
    call: 'transfers show <transfer>',
    help: 'a ledger line by its id: who paid, and who received',
  }),
  request('listDeposits', {
    call: 'transfers deposits',
    help: 'deposits by the reference that came with them, newest first',
    options: { reference: { value: '<text>', help: 'the whole reference', required: true }, ...PAGE_OPTIONS },
    columns: ['transferId', 'to', 'amount', 'currency', 'reference', 'at'],
  }),
  request('readBudget', {
    call: 'budgets show <sponsor>',
    help: 'what a sponsor may spend in a day, and has spent today',
    options: CURRENCY_OPTION,
  }),
  request('setBudget', {
    call: 'budgets set <sponsor>',
    help: 'refuse creations and top-ups beyond a sum in a day',
    options: {
      'per-day': {
        value: '<amount>',
        help: 'the most that may enter activities in a UTC day, such as 5000.00',
        field: 'perDay',
        required: true,
      },
      ...CURRENCY_OPTION,
    },
  }),
  request('deleteBudget', {
    call: 'budgets delete <sponsor>',
    help: 'let a sponsor spend all that the wallet holds',
    options: CURRENCY_OPTION,
    asks: 'Let <sponsor> spend without a budget?',
  }),
  request('listCurrencies', {
    call: 'currencies list',
    help: 'what amounts may be in; the first is the default',
    columns: ['code', 'kind', 'decimals', 'name'],
  }),
  request('createCurrency', {
    call: 'currencies create',
    help: 'add a currency, which is never changed or deleted',
    options: {
      code: { value: '<code>', help: 'of ISO 4217, or your own for points, such as COINS', required: true },
      kind: { value: '<kind>', help: 'what it is', choices: ['money', 'points'], required: true },
      decimals: { value: '<n>', help: 'of points; money has those of ISO 4217', parse: wholeNumber },
      name: { value: '<name>', help: 'what people read', required: true },
    },
  }),
];
