import type { Figure, Frame, PlayerMoney, Row } from './frame';

/** Returns the contradictions on a page, in words. */
type Rule = (frame: Frame) => readonly string[];

const ENDED = /^(Settled|Cancelled)$/;

const isMoney = (value: string): boolean => /^-?\d+\.\d+( [A-Z]{3})?$/.test(value);
const isCount = (value: string): boolean => /^\d+( of \d+)?$/.test(value);
const minorOf = (value: string): bigint => BigInt(value.replace(/[^\d-]/g, '') || '0');
const countOf = (value: string): number => Number.parseInt(value, 10);

const figuresNamed = (frame: Frame, name: RegExp, of?: string): readonly Figure[] =>
  frame.figures.filter((figure) => name.test(figure.name) && (of === undefined || figure.of === of));

/** True if a figure with this name is above zero. */
const hasAny = (frame: Frame, name: RegExp): boolean =>
  figuresNamed(frame, name).some(({ value }) => Number.parseFloat(value) > 0);

const kindOf = (value: string): string => (isMoney(value) ? 'money' : isCount(value) ? 'count' : 'text');

function sameNameSameFigure({ figures }: Frame): string[] {
  return figures.flatMap((one, i) =>
    figures
      .slice(i + 1)
      .filter((other) => other.name === one.name && other.of === one.of)
      .filter((other) => kindOf(other.value) === kindOf(one.value) && other.value !== one.value)
      .map((other) => `"${one.name}" is ${one.value} and ${other.value}`),
  );
}

function barsAddUp({ figures }: Frame): string[] {
  const sums = figures.filter(({ bar }) => bar === 'sum');
  return sums.flatMap(({ name, value, of }) => {
    const parts = figures.filter((figure) => figure.bar === 'part' && figure.of === of);
    const total = parts.reduce((sum, part) => sum + minorOf(part.value), 0n);
    return total === minorOf(value) ? [] : [`the parts of the bar make up ${total}, not "${name}" ${value}`];
  });
}

/** Checks every "a of b", and every sum of counts against its whole. */
function partsAreNoMoreThanTheWhole({ text, figures }: Frame): string[] {
  const pairs = [...text.matchAll(/\b(\d+) of (\d+)\b(?: packets won, (\d+))?/g)];
  const wrong = pairs.filter(
    ([, some, all, paid = some]) => Number(some) > Number(all) || Number(paid) > Number(some),
  );
  return [...wrong.map(([said]) => said), ...figures.flatMap((figure) => tooManyStates(figure, figures))];
}

const STATES = /^(Credited|Being paid out|Paid out|On their way to wallets|Dead letters|Void)$/;

function tooManyStates({ name, value, of }: Figure, figures: readonly Figure[]): string[] {
  if (name !== 'Confirmed') return [];
  const states = figures.filter((one) => one.of === of && STATES.test(one.name) && isCount(one.value));
  const sum = states.reduce((total, one) => total + countOf(one.value), 0);
  return sum === countOf(value) ? [] : [`"Confirmed" ${value}, and the states of ${sum}`];
}

const isEnded = ({ phases }: Frame, of: string): boolean => ENDED.test(phases[of] ?? '');

function endedRainsAreOver(frame: Frame): string[] {
  const { phases, text, rows, path } = frame;
  return Object.keys(phases)
    .filter((of) => isEnded(frame, of))
    .flatMap((of) => [
      ...figuresNamed(frame, /^(Packets left|Unclaimed|On (its|their) way to wallets|Taps per|Wins per)/, of)
        .filter(({ value }) => Number.parseFloat(value) > 0)
        .map(({ name, value }) => `"${name}" ${value} of a rain that has ended`),
      ...figuresNamed(frame, /^Packets in Redis$/, of)
        .filter(({ value }) => /^open/.test(value))
        .map(({ value }) => `Redis is "${value}" of a rain that has ended`),
      ...(of === '' && path.startsWith('/activities/') ? endedTexts(text, rows) : []),
    ]);
}

const endedTexts = (text: string, rows: readonly Row[]): string[] => [
  ...['Secret until the end', 'Close now', 'Add packets', 'Cancel the rain'].filter((said) =>
    text.includes(said),
  ),
  ...rows.filter(({ cells }) => cells.Payment === 'Pending').map(() => 'a pending win of a settled rain'),
];

/** What an empty list says, and the figures that would contradict it. */
const EMPTY: readonly (readonly [said: string, figure: RegExp])[] = [
  ['No wins yet.', /^(Confirmed|Credited|Paid out)$/],
  ['The waiting list is empty.', /^On the waiting list$/],
  ['No dead letters', /^Dead letters$/],
  ['All wins are paid', /^(On (its|their) way to wallets|Dead letters)$/],
  ['Nothing on its way', /^Being paid out$/],
];

const nothingBesideSomething: Rule = (frame) =>
  EMPTY.filter(([said, figure]) => frame.text.includes(said) && hasAny(frame, figure)).map(
    ([said, figure]) => `"${said}" next to a figure ${String(figure)} above zero`,
  );

/** Columns whose instants come in this order. */
const ORDERS: readonly (readonly string[])[] = [
  ['Opens', 'Closes'],
  ['Won', 'Credited'],
  ['Requested', 'Ended'],
];

function timesAreInOrder({ rows, window: [opens, closes] }: Frame): string[] {
  const inRows = rows.flatMap(({ instants }) =>
    ORDERS.filter((names) => isReversed(names.map((name) => instants[name]))).map(
      (names) => `${names.join(' after ')}: ${names.map((name) => instants[name]).join(', ')}`,
    ),
  );
  return isReversed([opens, closes]) ? [...inRows, `from ${opens} to ${closes}`] : inRows;
}

function isReversed(instants: readonly (string | undefined)[]): boolean {
  const known = instants.filter((at) => at !== undefined).map((at) => Date.parse(at));
  return known.some((at, i) => i > 0 && at < known[i - 1]!);
}

/** What may happen must not look as if it had happened, or before it can. */
function previewsAreForecasts({ previews, window: [opens] }: Frame): string[] {
  const tooEarly = previews
    .flatMap(({ instants }) => instants)
    .filter((at) => opens !== undefined && Date.parse(at) < Date.parse(opens));
  const unsaid = previews.filter(({ text }) => /Median/.test(text) && !/An example of/.test(text));
  return [
    ...tooEarly.map((at) => `a forecast for ${at}, before the opening at ${opens}`),
    ...unsaid.map(() => 'a preview that does not say that it is an example'),
  ];
}

const STATE_OF_ROW: Readonly<Record<string, RegExp>> = {
  Pending: /^On their way to wallets$/,
  Credited: /^Credited$/,
  'Being paid out': /^Being paid out$/,
  'Paid out': /^Paid out$/,
  'Dead letter': /^Dead letters$/,
  Void: /^Void$/,
};

/** Finds rows in a state whose count above them is zero, and more rows than wins. */
function rowsFitTheCounts(frame: Frame): string[] {
  const rows = frame.rows.filter(({ cells }) => cells.Payment !== undefined);
  const tooMany = figuresNamed(frame, /^Confirmed$/)
    .filter(({ value }) => countOf(value) < rows.length)
    .map(({ value }) => `${rows.length} winners, and ${value} confirmed`);
  const states = rows.flatMap(({ cells: { Payment: state = '' } }) => {
    const counts = figuresNamed(frame, STATE_OF_ROW[state] ?? /^$/).filter(({ value }) => isCount(value));
    return counts.length > 0 && counts.every(({ value }) => countOf(value) === 0)
      ? [`a win that is ${state}, and no such win above`]
      : [];
  });
  return [...tooMany, ...states];
}

/** In the list of activities, the number of packets left must fit the phase. */
function listedPhasesFit({ rows }: Frame): string[] {
  return rows
    .filter(({ cells }) => cells.Phase !== undefined)
    .flatMap(({ cells: { Name = '', Phase: phase = '', Packets: packets = '' } }) => {
      const [, left, all = ''] = /^(\d+) of (\d+) left$/.exec(packets) ?? [];
      if (left === undefined) return [];
      const fits =
        phase === 'Sold out'
          ? left === '0'
          : phase === 'Open' && left !== '0' && countOf(left) <= countOf(all);
      return fits ? [] : [`${Name} is ${phase}, with ${left} of ${all} left`];
    });
}

const OPEN_WITHDRAWAL = /is on its way|leaves your wallet once/;
const ENDED_WITHDRAWAL = /^(Paid|Failed|Sent back)/;

/** The answer to a withdrawal must fit the list of withdrawals, and the balance must fit the win. */
function playersMoneyFits({ player }: Frame): string[] {
  if (!player) return [];
  return [...withdrawalFits(player), ...winFits(player)];
}

function withdrawalFits({ answer, withdrawals: [last] }: PlayerMoney): string[] {
  const isSame = last !== undefined && answer.includes(last.amount);
  return isSame && OPEN_WITHDRAWAL.test(answer) && ENDED_WITHDRAWAL.test(last.state)
    ? [`"${answer}" next to "${last.state}"`]
    : [];
}

function winFits({ balance, won, settlement }: PlayerMoney): string[] {
  if (won === undefined || !settlement?.startsWith('In your wallet')) return [];
  return minorOf(balance) < minorOf(won) ? [`"${settlement}" ${won}, and a balance of ${balance}`] : [];
}

/** Rules that hold for any page at any moment: a page does not contradict itself. */
export const RULES = {
  'a name that appears twice has one figure': sameNameSameFigure,
  'the parts of a bar add up': barsAddUp,
  'parts do not exceed their whole': partsAreNoMoreThanTheWhole,
  'a rain that has ended is over everywhere': endedRainsAreOver,
  'no list is called empty next to a count of its entries': nothingBesideSomething,
  'instants come in a possible order': timesAreInOrder,
  'a preview is not shown as a result': previewsAreForecasts,
  'the state of each row is counted above it': rowsFitTheCounts,
  'what is left fits the phase': listedPhasesFit,
  'what a player reads of their money fits together': playersMoneyFits,
} satisfies Readonly<Record<string, Rule>>;

export type RuleName = keyof typeof RULES;

/** Returns each contradiction on a page, with the rule that it breaks. */
export const contradictionsIn = (frame: Frame): string[] =>
  (Object.keys(RULES) as RuleName[]).flatMap((name) =>
    RULES[name](frame).map((what) => `${frame.path}: ${name}: ${what}`),
  );
