/** The file of a channel with these lines, as it arrives. */
export async function* statementFile(...lines: readonly string[]): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(Buffer.from(['payoutId,userId,amount,state,at', ...lines, ''].join('\n')));
}
