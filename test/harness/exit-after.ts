/** Ends this process after its work: with 0 if it returns true, otherwise with 1. */
export function exitAfter(work: Promise<boolean>, usage?: string): void {
  work.then(
    (passed) => process.exit(passed ? 0 : 1),
    (error: unknown) => {
      console.error(error instanceof Error ? error.message : String(error));
      if (usage) console.error(`Usage: ${usage} -- --help`);
      process.exit(1);
    },
  );
}
