import { rain, shareInstallation } from '../harness/shared-installation';

export const LIMIT = 20;

/** One activity for each phase that a tap can meet. */
export let ids: { open: string; empty: string; later: string; closed: string };

/** Shares an installation with a rain in each phase. */
export function shareRains(): void {
  shareInstallation({
    RATE_LIMIT_USER_PER_SECOND: String(LIMIT),
    CORS_ORIGINS: 'https://shop.example',
    GATEWAY_CONNECTIONS_PER_ADDRESS_MAX: '30',
  });
  beforeAll(async () => {
    const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
    ids = {
      open: await rain.createActivity({ packetCount: 100 }),
      empty: await rain.createActivity({ packetCount: 1 }),
      later: await rain.createActivity({ opensInMs: 3_600_000, closesAt: inHours(2) }),
      closed: await rain.createActivity({ packetCount: 2 }),
    };
    await rain.win(ids.empty, 'first');
    await rain.closeActivity(ids.closed);
  });
}
