export { ECHOED, FILE_COLUMNS, REFUSALS } from './payout-protocol';
