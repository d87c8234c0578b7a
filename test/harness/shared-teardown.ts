import globalTeardown from './global-teardown';
import { stopShared } from './shared-redis';

/** Whichever project ends first ends all: none ends before the last test. */
export default async function sharedTeardown(): Promise<void> {
  await stopShared();
  await globalTeardown();
}
