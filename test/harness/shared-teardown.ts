import globalTeardown from './global-teardown';
import { stopShared } from './shared-redis';

/** The first project to end stops all engines: no project ends before the last test. */
export default async function sharedTeardown(): Promise<void> {
  await stopShared();
  await globalTeardown();
}
