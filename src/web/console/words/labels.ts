import { words } from '.';

/**
 * Returns the name of a field of the audit log, for people. Later versions of the API may add more.
 *
 * @param path such as `terms.split.min`: a form may have a label for the end of it
 */
export function fieldNameOf(path: string, action = ''): string {
  const plain = { ...words.channelLabels, ...words.labels, ...words.audit.fields };
  // Channels have limits of the same names.
  const names: Readonly<Record<string, string>> = action.startsWith('payout-channel.')
    ? { ...plain, ...words.channelLabels }
    : plain;
  // The kind of a split is shown under the name of the split.
  const steps = path.replace(/\.kind$/, '').split('.');
  const ends = steps.map((_, i) => steps.slice(i).join('.'));
  return names[ends.find((end) => names[end] !== undefined) ?? ''] ?? ends.at(-1)!;
}

/** The labels in forms of fields that have another name in the API. */
export function labelAt(path: string): string | undefined {
  const [, ofChannel] = /^profile\.(\w+)$/.exec(path) ?? [];
  const labels: Readonly<Record<string, string>> = ofChannel ? words.channelLabels : words.labels;
  return labels[ofChannel ?? path];
}

/** The label of a path, or of the part of the form that it is in. */
function knownLabel(path: string): string | undefined {
  for (let name = path; name !== ''; name = name.replace(/(^|[.[])[^.[]*$/, '')) {
    const label = labelAt(name);
    if (label !== undefined) return words.quoted(label);
  }
  return undefined;
}

/** @param path such as `split.tiers[0].amount`, which is in the field that is labelled "Tiers" */
export const labelOf = (path: string): string => knownLabel(path) ?? path;

/**
 * Puts the labels into a sentence of the API about a field, for names that are not ordinary words. A sentence
 * names sibling and child fields without their path.
 */
export const labelled = (sentence: string, field: string): string =>
  sentence.replace(/`?\b([a-z]+(?:[A-Z]\w*|(?:\.\w+)+))`?/g, (written, name: string) => {
    const near = [`${field}.${name}`, `${field.replace(/[^.]*$/, '')}${name}`, name];
    const path = near.find((one) => labelAt(one) !== undefined);
    return path === undefined ? written : labelOf(path);
  });
