import { labelled, labelOf } from '../../src/web/console/labels';

describe('the fields that the API refuses, in the console', () => {
  it.each([
    [
      'split.min',
      'must be at most totalAmount / packetCount',
      '“Smallest” must be at most “Total amount” / “Packets”',
    ],
    ['split.tiers.0.amount', 'must be an amount', '“Tiers” must be an amount'],
    ['closesAt', 'must be after opensAt', '“Closes” must be after “Opens”'],
    ['profile.perDay', 'must be an amount', '“Of all per day” must be an amount'],
    ['cursor', 'must come from a page', 'cursor must come from a page'],
  ])('have the names of their labels: %s %s', (field, message, sentence) => {
    expect(`${labelOf(field)} ${labelled(message)}`).toBe(sentence);
  });
});
