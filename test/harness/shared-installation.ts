import { Installation } from './installation';

/**
 * The installation of all cases of a spec file, with own sponsors and activities for each test. At
 * the end all books are proven.
 */
export let rain: Installation;

export const shareInstallation = (settings: NodeJS.ProcessEnv = {}): void =>
  share(
    () => Installation.startWithWorker(settings),
    () => rain.verify(),
  );

/** Lets cases start the workers that they need, and write rows that no program would write. */
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
