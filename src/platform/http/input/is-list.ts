import { type Fault, must } from '../../../../libs/problem';
import { Judged } from './judged';

interface List {
  readonly isItem: (value: unknown) => boolean;
  /** The fault of a value that is not a list of such items. */
  readonly fault: Fault;
  /** "must `have` at most 100 `tier`s". */
  readonly verb?: 'have' | 'name';
  readonly noun: string;
  readonly mayBeEmpty?: boolean;
  readonly maximum: number;
}

/** A list of such items, with at least one unless it may be empty. */
export const IsList = (list: List): PropertyDecorator =>
  Judged('isList', (value) => {
    if (!Array.isArray(value) || !value.every(list.isItem)) return list.fault;
    if (value.length === 0 && !list.mayBeEmpty) return must.haveOne(list);
    return value.length > list.maximum ? must.haveFewer(list) : undefined;
  });
