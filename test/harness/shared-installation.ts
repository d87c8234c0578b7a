import { Installation } from './installation';

/**
 * The installation that all cases of a spec file share; each test has its own sponsors and activities.
 * At the end all books are proven.
 */
export let rain: Installation;

export const shareInstallation = (settings: NodeJS.ProcessEnv = {}): void =>
  share(
    () => Installation.startWithWorker(settings),
    () => rain.verify(),
  );

/** Without a worker: cases start the workers that they need, and may write rows that no program would write. */
export const shareInstallationWithoutWorker = (settings: NodeJS.ProcessEnv = {}): void =>
  share(() => Installation.start(settings));

function share(start: () => Promise<Installation>, prove?: () => Promise<unknown>): void {
  beforeAll(async () => {
    rain = await start();
  });
  afterAll(async () => {
    await Promise.resolve(prove?.()).finally(() => rain.stop());
  });
}
