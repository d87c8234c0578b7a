import globalSetup from './global-setup';
import { type JestConfig, startShared } from './shared-redis';

/** For the project whose tests run on a master behind Sentinel. */
export default async function sentinelSetup(config: JestConfig): Promise<void> {
  await globalSetup(config);
  await startShared('sentinel', config);
}
