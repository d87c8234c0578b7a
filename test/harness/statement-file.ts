/** A channel's statement file with these lines, as a stream. */
export async function* statementFile(...lines: readonly string[]): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(Buffer.from(['payoutId,userId,amount,state,at', ...lines, ''].join('\n')));
}
