import type { Edit } from '../faults/edit';

export interface PlantedBug {
  readonly name: string;
  readonly edit: Edit;
  /** The complaint that the fuzzer has to make. */
  readonly complaint: RegExp;
}

export const PLANTED_BUGS: readonly PlantedBug[] = [
  {
    name: 'an id that nobody checks',
    edit: { file: 'src/platform/http/input/ids.js', from: 'ID_PATTERN.test(value) &&', to: 'value &&' },
    complaint: /answered 500/,
  },
  {
    name: 'a cursor that nobody checks',
    edit: {
      file: 'src/platform/http/input/page.js',
      from: 'if (text.startsWith(CURSOR_MARK)',
      to: 'if (true) return text; if (text.startsWith(CURSOR_MARK)',
    },
    complaint: /answered 500/,
  },
  {
    name: 'a currency that goes to Postgres unchecked',
    edit: { file: 'src/core/currency/currencies.js', from: '!(0, _money.isCurrencyCode)(code)', to: 'false' },
    complaint: /answered 500/,
  },
  {
    name: 'an answer of which the document knows nothing',
    edit: {
      file: 'src/core/wallet/wallet.service.js',
      from: 'balance,\n        pending,',
      to: 'balance,\n        limit: 1,\n        pending,',
    },
    complaint: /unevaluated properties/,
  },
  {
    name: 'deposits that arrive larger than they were',
    edit: {
      file: 'src/core/wallet/ledger.repository.js',
      from: 'set balance_minor = balance_minor + $6 where',
      to: 'set balance_minor = balance_minor + $6 + 1 where',
    },
    complaint: /an invariant is broken/,
  },
  {
    name: 'a frame of the gateway whose id of an activity nobody checks',
    edit: { file: 'src/extensions/gateway/frame.js', from: '(0, _http.isId)(activityId)', to: 'activityId' },
    complaint: /^FAULT gateway .* answered 500/,
  },
];
