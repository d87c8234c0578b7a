/** Tests of properties that only a single server has; test/cluster tests those of several. */
export const onOneServer =
  globalThis.redisOfTests === undefined ? { it, describe } : { it: it.skip, describe: describe.skip };
