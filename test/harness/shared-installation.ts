import { Installation } from './installation';

/**
 * The installation that all cases of a spec file share. Each test has sponsors and activities of
 * its own, and looks at nothing else: what stops an engine has an installation of its own. At the
 * end all books are proven.
 */
export let rain: Installation;

export const shareInstallation = (settings: NodeJS.ProcessEnv = {}): void =>
  share(
    () => Installation.startWithWorker(settings),
    () => rain.verify(),
  );

/**
 * Shares an installation whose cases start the workers that they need, and stop them. They may
 * write rows that no program would write, so the books are not proven.
 */
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
