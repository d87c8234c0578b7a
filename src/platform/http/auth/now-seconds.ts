/** Seconds since the epoch, the unit of tokens. */
export const nowSeconds = (): number => Math.floor(Date.now() / 1000);
