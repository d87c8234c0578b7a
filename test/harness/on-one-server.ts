/** Tests of what only one server has; test/cluster tests what several have instead. */
export const onOneServer =
  globalThis.redisOfTests === undefined ? { it, describe } : { it: it.skip, describe: describe.skip };
