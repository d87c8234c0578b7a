import globalSetup from './global-setup';
import { type JestConfig, startShared } from './shared-redis';

/** Setup of the project whose tests run on a master behind Sentinel. */
export default async function sentinelSetup(config: JestConfig): Promise<void> {
  await globalSetup(config);
  await startShared('sentinel', config);
}
