/** Since the epoch, as tokens count. */
export const nowSeconds = (): number => Math.floor(Date.now() / 1000);
