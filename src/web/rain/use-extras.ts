import { useEffect, useState } from 'preact/hooks';

export type Extras = typeof import('./extras');

export interface LoadedExtras {
  /** Missing until they have loaded. */
  readonly extras?: Extras;
  /** They did not load. Browsers may remember that, so only a reload of the page tries again. */
  readonly areMissing?: boolean;
}

/** @param areWanted what the page loads first has come */
export function useExtras(areWanted: boolean): LoadedExtras {
  const [loaded, setLoaded] = useState<LoadedExtras>({});
  useEffect(() => {
    if (!areWanted) return;
    import('./extras').then(
      (extras) => setLoaded({ extras }),
      () => setLoaded({ areMissing: true }),
    );
  }, [areWanted]);
  return loaded;
}
