/** As identity providers name users, and with what means something else in Redis, Lua, SQL and JSON. */
const MANNERS = ['_', 'auth0|_', '_@shop.example', 'urn:user:_', '_:1!', `"_\\'`, '{_}%d', '/_/..'];

/** The id of the `i`-th user of a round, in one manner after the other. */
export const userIdOf = (name: string, i: number): string => MANNERS[i % MANNERS.length]!.replace('_', name);
