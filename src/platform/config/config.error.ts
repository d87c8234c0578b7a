/** `faults` has one line for each variable and never a value. */
export class ConfigError extends Error {
  constructor(readonly faults: string[]) {
    super(`The configuration is not usable:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}
