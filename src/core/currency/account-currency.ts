/**
 * The id of an account carries the number of its currency above the number that the sequence gave, so
 * `transfer` can refuse a transfer between two currencies without reading `account` (decision 56). The default
 * currency is number 0, so ids from before there were several currencies are unchanged.
 */
export const CURRENCY_BIT = 48;

/** The number of the currency of an account. */
export const currencyNumberOf = (accountId: string): number =>
  Number(BigInt(accountId) >> BigInt(CURRENCY_BIT));

/** An expression for the id of a new account of a currency, by an expression for its number. */
export const newAccountId = (number: string): string =>
  `(${number}::bigint << ${CURRENCY_BIT}) | nextval('account_id_seq')`;
