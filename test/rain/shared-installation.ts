import { Installation } from '../harness/installation';

/**
 * The installation that all cases of a spec file share. Each test has sponsors and activities of its own, and looks at nothing
 * else: what stops an engine, or counts the whole system, has an installation of its own. At the end all books are proven.
 */
export let rain: Installation;

export function shareInstallation(settings: NodeJS.ProcessEnv = {}): void {
  beforeAll(async () => {
    rain = await Installation.startWithWorker(settings);
  });
  afterAll(async () => {
    await rain.verify().finally(() => rain.stop());
  });
}
