/** For what only one server has, and what is tried in test/cluster where there are more. */
export const onOneServer =
  globalThis.redisOfTests === undefined ? { it, describe } : { it: it.skip, describe: describe.skip };
