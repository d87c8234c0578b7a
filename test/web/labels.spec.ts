import { fieldNameOf, labelled, labelOf } from '../../src/web/console/words/labels';

describe('the names of refused fields in the console', () => {
  it.each([
    [
      'split.min',
      'must be at most totalAmount / packetCount',
      '“Smallest” must be at most “Total amount” / “Packets”',
    ],
    ['split.tiers[0].amount', 'must be an amount', '“Tiers” must be an amount'],
    ['pace.waves[1].at', 'must not be earlier than opensAt', '“Waves” must not be earlier than “Opens”'],
    ['pace.until', 'must not be later than closesAt', '“All released by” must not be later than “Closes”'],
    [
      'limits',
      'must have `perUserPerDay`, `perUser` or both',
      '“Limits” must have “Daily limit per user”, “Lifetime limit per user” or both',
    ],
    [
      'profile.keyLifetimeSeconds',
      'must be above `quarantineSeconds`',
      '“Retry a payment for at most” must be above “Wait after an unclear call”',
    ],
    ['closesAt', 'must be after opensAt', '“Closes” must be after “Opens”'],
    ['profile.perDay', 'must be an amount', '“Per day, all users” must be an amount'],
    ['cursor', 'must come from a page', 'cursor must come from a page'],
  ])('are those of their labels: %s %s', (field, message, sentence) => {
    expect(`${labelOf(field)} ${labelled(message, field)}`).toBe(sentence);
  });
});

describe('the names of fields in the audit log', () => {
  it.each([
    ['terms.split.kind', 'approval.ask', 'Split'],
    ['terms.split.min', 'approval.ask', 'Smallest'],
    ['terms.limits.perUserPerDay', 'approval.ask', 'Daily limit per user'],
    ['terms.totalAmount', 'approval.ask', 'Total amount'],
    ['kind', 'currency.create', 'Kind'],
    ['profile.perUserPerDay', 'payout-channel.change', 'Per user and day'],
    ['terms.ofALaterVersion', 'approval.ask', 'ofALaterVersion'],
  ])('are those of forms, at any depth: %s of %s', (path, action, name) => {
    expect(fieldNameOf(path, action)).toBe(name);
  });
});
