import type { AppConfig } from '../../platform/config';

const AT_ONCE_MAX = 4;

/**
 * Activities that one process loads or mends at a time. Each holds a connection for a while; others
 * stay free for requests and settlements.
 */
export const loadSlots = ({ DATABASE_POOL_MAX }: AppConfig): number =>
  Math.max(1, Math.min(AT_ONCE_MAX, Math.floor(DATABASE_POOL_MAX / 3)));
