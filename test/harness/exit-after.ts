/** Ends this process after its work: with 1 if that has failed or returns false. */
export function exitAfter(work: Promise<boolean | void>, usage?: string): void {
  work.then(
    (passed) => process.exit(passed === false ? 1 : undefined),
    (error: unknown) => {
      console.error(error instanceof Error ? error.message : String(error));
      if (usage) console.error(`Usage: ${usage} -- --help`);
      process.exit(1);
    },
  );
}
