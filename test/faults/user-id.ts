/** Forms that identity providers use, and characters with a meaning in Redis, Lua, SQL and JSON. */
const MANNERS = ['_', 'auth0|_', '_@shop.example', 'urn:user:_', '_:1!', `"_\\'`, '{_}%d', '/_/..'];

/** The id of the `i`-th user of a round, in each of the forms in turn. */
export const userIdOf = (name: string, i: number): string => MANNERS[i % MANNERS.length]!.replace('_', name);
