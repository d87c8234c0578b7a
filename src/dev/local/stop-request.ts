const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Resolves at the first Ctrl-C, SIGTERM, closed terminal or death of the parent. */
export function stopRequest(): Promise<undefined> {
  return new Promise((resolve) => {
    for (const signal of STOP_SIGNALS) process.on(signal, () => resolve(undefined));
    process.on('disconnect', () => resolve(undefined));
  });
}
