import globalSetup from './global-setup';
import { type JestConfig, startShared } from './shared-redis';

export default async function clusterSetup(config: JestConfig): Promise<void> {
  await globalSetup(config);
  await startShared('cluster', config);
}
