/** A mutant that no test can kill, or that is worth no test. */
export interface Survivor {
  readonly file: string;
  /** As the night names it: what stood there, and what took its place. */
  readonly change: string;
  readonly why: string;
}

export const SURVIVORS: readonly Survivor[] = [];
