import { rainInEachPhase, type RainPhases } from '../harness/rain-phases';
import { rain, shareInstallation } from '../harness/shared-installation';

export const LIMIT = 20;

export let ids: RainPhases;

/** Shares an installation with a rain in each phase. */
export function shareRains(): void {
  shareInstallation({
    RATE_LIMIT_USER_PER_SECOND: String(LIMIT),
    CORS_ORIGINS: 'https://shop.example',
    GATEWAY_CONNECTIONS_PER_ADDRESS_MAX: '30',
  });
  beforeAll(async () => {
    ids = await rainInEachPhase(rain);
  });
}
