import type { AppConfig } from '../../platform/config';

const AT_ONCE_MAX = 4;

/**
 * Activities that one process loads or mends at a time. Each holds a connection for a while; two
 * thirds of the pool stay free for confirmations and settlements.
 */
export const loadSlots = ({ DATABASE_POOL_MAX }: AppConfig): number =>
  Math.max(1, Math.min(AT_ONCE_MAX, Math.floor(DATABASE_POOL_MAX / 3)));
