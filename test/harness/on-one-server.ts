/**
 * Tests of properties that only one server has. test/cluster tests what corresponds to them on
 * several servers.
 */
export const onOneServer =
  globalThis.redisOfTests === undefined ? { it, describe } : { it: it.skip, describe: describe.skip };
