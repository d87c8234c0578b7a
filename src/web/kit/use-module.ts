import { useEffect, useState } from 'preact/hooks';

export interface Loaded<Module> {
  /** Missing until it has loaded. */
  readonly module?: Module;
  /** It did not load. Browsers may remember that, so only a reload of the page tries again. */
  readonly isMissing?: boolean;
}

/**
 * Loads what the first screen of a page does without.
 * @param load imports it
 */
export function useModule<Module>(load: () => Promise<Module>, isWanted = true): Loaded<Module> {
  const [loaded, setLoaded] = useState<Loaded<Module>>({});
  useEffect(() => {
    if (!isWanted) return;
    load().then(
      (module) => setLoaded({ module }),
      () => setLoaded({ isMissing: true }),
    );
  }, [isWanted]);
  return loaded;
}
