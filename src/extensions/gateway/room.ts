import type { AppConfig } from '../../platform/config';
import type { Session } from '../../platform/http';
import { gatewayUnavailable, tooManyConnections } from './gateway.error';

const RETRY_AFTER_SECONDS = 5;

/** Counts the connections of this process, in all, by user and by address. */
export class Room {
  private readonly byUser = new Map<string, number>();
  private readonly byAddress = new Map<string, number>();
  private taken = 0;

  constructor(private readonly config: AppConfig) {}

  /** @throws gatewayUnavailable, tooManyConnections */
  require({ caller, address }: Session): void {
    const { GATEWAY_CONNECTIONS_MAX, GATEWAY_CONNECTIONS_PER_USER_MAX, GATEWAY_CONNECTIONS_PER_ADDRESS_MAX } =
      this.config;
    if (this.taken >= GATEWAY_CONNECTIONS_MAX)
      throw gatewayUnavailable('This server takes no more connections.', { retryAfterSeconds: 1 });
    requireBelow(this.byUser.get(caller.userId), GATEWAY_CONNECTIONS_PER_USER_MAX, 'user');
    // A back end connects for many users from one address.
    if (caller.via === undefined)
      requireBelow(this.byAddress.get(address), GATEWAY_CONNECTIONS_PER_ADDRESS_MAX, 'address');
  }

  take({ caller, address }: Session): void {
    this.taken += 1;
    add(this.byUser, caller.userId, 1);
    add(this.byAddress, address, 1);
  }

  leave({ caller, address }: Session): void {
    this.taken -= 1;
    add(this.byUser, caller.userId, -1);
    add(this.byAddress, address, -1);
  }
}

function requireBelow(count = 0, max: number, whose: string): void {
  if (count < max) return;
  throw tooManyConnections(`One ${whose} may have ${max}.`, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}

function add(counts: Map<string, number>, key: string, difference: number): void {
  const count = (counts.get(key) ?? 0) + difference;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
