import globalSetup from './global-setup';
import { type JestConfig, startShared } from './shared-redis';

export default async function sentinelSetup(config: JestConfig): Promise<void> {
  await globalSetup(config);
  await startShared('sentinel', config);
}
