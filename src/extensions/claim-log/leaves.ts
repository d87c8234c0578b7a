/** More leaves than a log can have. */
export const LEAVES_MAX = 1_000_000_000_000;
export const LEAVES = { type: 'integer', format: 'int64' } as const;
