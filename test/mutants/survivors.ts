/** A mutant that no test can kill, or that is not worth a test. */
export interface Survivor {
  readonly file: string;
  /** As the nightly run prints it: the original text and its replacement. */
  readonly change: string;
  readonly why: string;
}

const survivor = (file: string, change: string, why: string): Survivor => ({ file, change, why });

export const SURVIVORS: readonly Survivor[] = [
  survivor(
    'libs/money/currency.ts',
    `'CurrencyUnsupported' → ""`,
    'The name of an error is only in logs, and nothing depends on it.',
  ),
  survivor(
    'libs/money/currency.ts',
    `'CLF UYW' → ""`,
    'If they are not in the list, they are still refused, for another reason.',
  ),
  survivor(
    'libs/money/limits.ts',
    `'' → "Stryker was here!"`,
    'A text that was split has a part, so the default is never used.',
  ),
  survivor(
    'libs/roles/role-claim.ts',
    `'' → "Stryker was here!"`,
    'A pair that was read has a name; where none was, there is no role either, and the text is refused.',
  ),
  survivor(
    'libs/roles/role-claim.ts',
    '[] → ["Stryker was here"]',
    'The role is the second element, and neither list has one.',
  ),
  survivor('libs/packet-proof/packet-proof.ts', `'' → "Stryker was here!"`, 'Neither text is a hash.'),
  survivor(
    'libs/claim-log/checkpoint.ts',
    '[] → ["Stryker was here"]',
    'A text that is not one, or a list without that element, is not a checkpoint either way.',
  ),
  survivor(
    'libs/claim-log/checkpoint.ts',
    `'' → "Stryker was here!"`,
    'A text that is not one, or a list without that element, is not a checkpoint either way.',
  ),
  survivor(
    'libs/claim-log/checkpoint.ts',
    'origin === undefined → false',
    'The origin of a key is a text, so a note without one differs from it.',
  ),
  survivor(
    'libs/claim-log/checkpoint.ts',
    'name === undefined → false',
    'A text that is not a key has no id, from which every id differs.',
  ),
  survivor(
    'libs/claim-log/checkpoint.ts',
    'note .slice(text.length + 1) → note',
    'A text cannot contain its own signature, so a line of the text is never a valid one.',
  ),
  survivor(
    'libs/claim-log/checkpoint.ts',
    'text.length + 1 → text.length - 1',
    'A text cannot contain its own signature, so a line of the text is never a valid one.',
  ),
  survivor(
    'libs/claim-log/cosignature.ts',
    'note .slice(text.length + 1) → note',
    'A text cannot contain its own signature, so a line of the text is never a valid one.',
  ),
  survivor(
    'libs/claim-log/cosignature.ts',
    'text.length + 1 → text.length - 1',
    'A text cannot contain its own signature, so a line of the text is never a valid one.',
  ),
  survivor(
    'libs/claim-log/cosignature.ts',
    '[] → ["Stryker was here"]',
    'What is read has a second element, and neither list has one.',
  ),
  survivor(
    'libs/claim-log/cosignature.ts',
    `'' → "Stryker was here!"`,
    'A line without a value has no signer either, and is passed over.',
  ),
  survivor(
    'libs/claim-log/cosignature.ts',
    'name === undefined → false',
    'The signer of a line is a text, from which a key that could not be read differs.',
  ),
  survivor(
    'libs/claim-log/cosignature.ts',
    `'+' → ""`,
    'Two keys that differ in nothing but the places of their + are not found by chance.',
  ),
  survivor(
    'libs/claim-log/merkle-tree.ts',
    'former.size < later.size → former.size <= later.size',
    'Equal sizes are answered before.',
  ),
  survivor(
    'libs/claim-log/merkle-tree.ts',
    'last === 0 → false',
    'A path that is too long leads to another root, or somebody has found a collision of SHA-256.',
  ),
  survivor(
    'libs/claim-log/merkle-tree.ts',
    'first === undefined → false',
    'Without a first hash there is no path either, so the walk ends before the root.',
  ),
  survivor(
    'libs/claim-log/merkle-tree.ts',
    'last === 0 → true',
    'A path that is too short leads to another root, or somebody has found a collision of SHA-256.',
  ),
  survivor('libs/claim-log/merkle-tree.ts', '[] → ["Stryker was here"]', 'An empty tree reads no stretch.'),
  survivor(
    'src/extensions/payout/send/signed-json.ts',
    'formerSecretUntil !== null → true',
    'No moment is before null, so the comparison after it says the same.',
  ),
  survivor(
    'src/extensions/payout/send/signed-json.ts',
    'said?.state → said.state',
    'Whatever has a code is an object.',
  ),
  survivor(
    'src/extensions/payout/send/signed-json.ts',
    'said?.payoutId → said.payoutId',
    'Whatever has a code is an object.',
  ),
  survivor(
    'src/extensions/payout/send/signed-json.ts',
    `'' → "Stryker was here!"`,
    'Neither text is JSON, and neither is a date.',
  ),
  survivor(
    'src/extensions/payout/send/signed-json.ts',
    'said !== null → true',
    'What is missing is read like null: without a code, a state or an id.',
  ),
  survivor(
    'src/extensions/payout/send/signed-json.ts',
    '{ return undefined; } → {}',
    'A function without an answer returns undefined.',
  ),
  survivor(
    'src/extensions/payout/send/signed-json.ts',
    'text === undefined → false',
    'The word undefined is neither a number nor a date.',
  ),
  survivor(
    'src/extensions/payout/gather/gathering.ts',
    'limit !== undefined → true',
    'No amount is above undefined.',
  ),
  survivor(
    'src/extensions/ticket/tickets.ts',
    `typeof ticket !== 'string' → false`,
    'The verifier takes nothing but texts either.',
  ),
  survivor(
    'src/extensions/ticket/tickets.ts',
    'checked → true',
    'To remember undefined is to remember nothing.',
  ),
  survivor(
    'src/extensions/ticket/tickets.ts',
    '{ return undefined; } → {}',
    'A function without an answer returns undefined.',
  ),
  survivor(
    'src/core/grab/tap/last-packets.ts',
    'waitedMs < WAIT_MS → waitedMs <= WAIT_MS',
    'One more search, after a wait of half a second.',
  ),
  survivor(
    'src/core/grab/tap/last-packets.ts',
    'true → false',
    'What is remembered of a rain that is sold out is its id.',
  ),
  survivor(
    'src/core/grab/tap/last-packets.ts',
    `'free' → ""`,
    'Whatever is neither sold out nor undecided is free.',
  ),
  survivor(
    'src/extensions/fairness/fairness.service.ts',
    'rows.length === 0 → true',
    'It is needlessly asked whether the activity exists.',
  ),
  survivor(
    'src/extensions/payout/statement/csv-rows.ts',
    `'' → "Stryker was here!"`,
    'A cell that is missing is not the name of a column, and its line has a fault.',
  ),
  survivor(
    'src/extensions/payout/statement/csv-rows.ts',
    'cells.length > width → cells.length >= width',
    'A line of that width is whole by the condition before it.',
  ),
  survivor(
    'src/extensions/payout/statement/csv-rows.ts',
    'first === 0x3d → true',
    'The pattern begins with that character.',
  ),
  survivor(
    'src/extensions/payout/statement/csv-rows.ts',
    `cell.replace(/[\\s_-]/g, '').toLowerCase() → cell.replace(/[\\s_-]/g, '').toUpperCase()`,
    'Both names that are compared are folded.',
  ),
  survivor(
    'src/extensions/payout/statement/csv-rows.ts',
    '[] → ["Stryker was here"]',
    'No column has that name.',
  ),
  survivor(
    'src/extensions/payout/statement/csv-rows.ts',
    '/\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d/ → /\\d-\\d\\d-\\d\\dT\\d\\d:\\d\\d/',
    'The end of a year is a part of each year.',
  ),
  survivor(
    'src/extensions/payout/statement/json-rows.ts',
    '{ return undefined; } → {}',
    'A function without an answer returns undefined.',
  ),
  survivor(
    'src/extensions/payout/statement/statement-lines.ts',
    `'' → "Stryker was here!"`,
    'Neither text is an instant.',
  ),
  survivor(
    'src/extensions/payout/statement/statement-lines.ts',
    'moment < FIRST_YEAR → moment <= FIRST_YEAR',
    'An instant is longer than its year.',
  ),
  survivor(
    'src/extensions/payout/statement/statement-lines.ts',
    '/^(\\S{10}) (?=\\d)/ → /(\\S{10}) (?=\\d)/',
    'A text with more before its date is not an instant either way.',
  ),
  survivor(
    'src/extensions/payout/statement/statement-text.ts',
    '/\\r$/ → /\\r/',
    'Lines were split there, so only the last character can be one.',
  ),
  survivor(
    'src/extensions/payout/statement/statement-text.ts',
    'bytes[0] !== 0 → true',
    'Two zeros begin no text in any of these encodings.',
  ),
  survivor(
    'src/extensions/payout/statement/statement-text.ts',
    'bytes[1] !== 0 → true',
    'Two zeros begin no text in any of these encodings.',
  ),
  survivor(
    'src/extensions/ticket/ticket-rule.ts',
    '[] → ["Stryker was here"]',
    'A word is not a key, and no sponsors have none.',
  ),
  survivor(
    'src/extensions/ticket/ticket-rule.ts',
    'ids.length === 0 → false',
    'One more statement, about nobody.',
  ),
  survivor(
    'src/extensions/ticket/ticket-rule.ts',
    `'Ticket' → ""`,
    'test/client compares the published API document with the source, in which it is.',
  ),
  survivor(
    'src/extensions/ticket/ticket-rule.ts',
    `"The sponsor's ticket for this user, if the activity requires one; ignored if it does not." → ""`,
    'test/client compares the published API document with the source, in which it is.',
  ),
  survivor(
    'src/extensions/ticket/ticket-rule.ts',
    `{ type: 'string', maxLength: TICKET_LENGTH_MAX } → {}`,
    'test/client compares the published API document with the source, in which it is.',
  ),
  survivor(
    'src/extensions/ticket/ticket-rule.ts',
    `'string' → ""`,
    'test/client compares the published API document with the source, in which it is.',
  ),
  survivor(
    'src/extensions/ticket/ticket-rule.ts',
    '[ticketRequired, ticketInvalid] → []',
    'test/client compares the published API document with the source, in which it is.',
  ),
  survivor(
    'src/core/grab/admission/admissions.ts',
    'isNewer(row) → false',
    'older-programs.spec sees it, with many programs.',
  ),
  survivor(
    'src/platform/http/auth/address-key.ts',
    `'' → "Stryker was here!"`,
    'Every text has a first part.',
  ),
  survivor(
    'src/platform/http/auth/address-key.ts',
    'address.startsWith(IPV4_MAPPED) → address.endsWith(IPV4_MAPPED)',
    'A short cut for nearly all requests; the longer way has the same answer.',
  ),
  survivor(
    'src/platform/http/auth/address-key.ts',
    'address.slice(IPV4_MAPPED.length) → address',
    'A short cut for nearly all requests; the longer way has the same answer.',
  ),
  survivor(
    'src/platform/http/auth/address-key.ts',
    'isIPv4(tail) → false',
    'A short cut for nearly all requests; the longer way has the same answer.',
  ),
  survivor(
    'src/platform/http/auth/address-key.ts',
    `'::ffff:' → ""`,
    'A short cut for nearly all requests; the longer way has the same answer.',
  ),
  survivor(
    'src/platform/http/auth/address-key.ts',
    'key !== undefined → true',
    'Undefined is not an address.',
  ),
  survivor(
    'src/platform/http/auth/address-key.ts',
    `'.' → ""`,
    'A group without a dot has no fourth number.',
  ),
  survivor(
    'src/platform/http/auth/address-key.ts',
    '[] → ["Stryker was here"]',
    'A list of one has no fourth number.',
  ),
  survivor(
    'src/platform/http/rate-limit/rate-limit.ts',
    '-1 → +1',
    'A second without requests, of which nothing was reported.',
  ),
  survivor(
    'src/platform/http/rate-limit/rate-limit.ts',
    'second - 1 → second + 1',
    'A second without requests, of which nothing was reported.',
  ),
  survivor(
    'src/platform/http/rate-limit/rate-limit.ts',
    'this.elsewhere.size === 0 → false',
    'Where nothing was counted elsewhere, the sum is the same.',
  ),
  survivor('src/extensions/payout/ask/payout-asks.ts', `'later' → ""`, 'It is only compared with itself.'),
  survivor(
    'src/extensions/payout/ask/payout-asks.ts',
    'outcome === undefined → true',
    'It is judged once more, alone, with the same answer; this only takes time.',
  ),
  survivor(
    'src/extensions/payout/ask/payout-asks.ts',
    'alone === undefined → false',
    'A request that waits for its turn is always judged.',
  ),
  survivor(
    'src/extensions/payout/ask/payout-asks.ts',
    `'It was not judged.' → ""`,
    'A request that waits for its turn is always judged.',
  ),
  survivor(
    'src/extensions/payout/ask/payout-asks.ts',
    'commits.size === 0 && this.commits.get(channelId) === commits → true',
    'A channel may have two batchers for a moment, so that its requests share fewer commits.',
  ),
  survivor(
    'src/extensions/payout/ask/payout-asks.ts',
    'commits.size === 0 && this.commits.get(channelId) === commits → commits.size === 0 || this.commits.get(channelId) === commits',
    'A channel may have two batchers for a moment, so that its requests share fewer commits.',
  ),
  survivor(
    'src/extensions/payout/ask/payout-asks.ts',
    'commits.size === 0 → true',
    'A channel may have two batchers for a moment, so that its requests share fewer commits.',
  ),
  survivor(
    'src/extensions/payout/ask/payout-asks.ts',
    'this.commits.get(channelId) === commits → true',
    'A channel may have two batchers for a moment, so that its requests share fewer commits.',
  ),
  survivor(
    'src/extensions/payout/ask/payout-asks.ts',
    '!firsts.has(ask.request.caller.userId) → true',
    'Which of the simultaneous requests of a user is judged first is not promised.',
  ),
  survivor(
    'src/extensions/payout/ask/payout-asks.ts',
    '() => error as Error → () => undefined',
    'It is judged once more, alone, with the same answer; this only takes time.',
  ),
  survivor(
    'src/extensions/payout/ask/asked-payouts.ts',
    'asks.length === 0 → false',
    'A short cut; where nothing was granted, nothing is written either way.',
  ),
  survivor(
    'src/extensions/payout/ask/asked-payouts.ts',
    'error instanceof Problem → false',
    'It is judged once more, alone, with the same answer; this only takes time.',
  ),
  survivor(
    'src/extensions/code-pool/code-seal.ts',
    '{ authTagLength: TAG_BYTES } → {}',
    'A value with a shorter tag has no text, and a code has at least one character.',
  ),
  survivor(
    'src/extensions/code-pool/code-seal.ts',
    '{ return undefined; } → {}',
    'What returns nothing returns undefined.',
  ),
  survivor(
    'src/extensions/payout/book/payout-decisions.ts',
    '{ detail: {} } → {}',
    'The audit log has no more detail either way.',
  ),
  survivor(
    'src/extensions/payout/book/payout-decisions.ts',
    'payout?.state → payout.state',
    'A payout under review is never deleted.',
  ),
  survivor(
    'src/extensions/payout/book/payout-decisions.ts',
    'wallet?.status → wallet.status',
    'A payout has a wallet, which is never deleted.',
  ),
  survivor(
    'src/extensions/payout/book/payout-decisions.ts',
    'body.lastSentAt === undefined → false',
    'What was left out is no moment, and no moment is the same as another.',
  ),
];
