import { extensionNames, playRain, startWithout, takenWith } from './taking-out';
import { TypeCheck } from './type-check';

const types = new TypeCheck();

describe.each(extensionNames)('without the extension %s and those that need it', (name) => {
  it('programs and commands have no fault of types', () => {
    expect(types.faultsWithout(takenWith(name))).toEqual([]);
  });

  it('API and worker start on an empty database, play a rain, and its books are proven', () =>
    startWithout(takenWith(name), playRain));
});

it('the core has no fault of types without any extension', () => {
  expect(types.faultsWithout(extensionNames)).toEqual([]);
});

it('an extension that others need has faults of types where they import it, if it is taken out alone', () => {
  expect(
    types.faultsWithout(['payout']).filter((fault) => fault.startsWith('src/extensions/overview/')),
  ).not.toEqual([]);
});
