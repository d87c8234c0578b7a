import type { AppConfig } from '../../../platform/config';

const AT_ONCE_MAX = 4;

/** Activities that one process loads at a time: each holds a connection that requests need too. */
export const loadSlots = ({ DATABASE_POOL_MAX }: AppConfig): number =>
  Math.max(1, Math.min(AT_ONCE_MAX, Math.floor(DATABASE_POOL_MAX / 3)));
