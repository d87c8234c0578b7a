/** Arbitrary, but unique among the advisory locks. */
export const ARCHIVE_LOCK = 7_264_002;

export function refuseSecondRun(): Promise<never> {
  return Promise.reject(new Error('Another archive is running.'));
}
