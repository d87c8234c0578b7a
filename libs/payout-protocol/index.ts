export { ECHOED, REFUSALS } from './payout-protocol';
