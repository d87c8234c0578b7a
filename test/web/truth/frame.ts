import type { Page } from 'playwright-core';

/** A figure with its name, as a page shows it. */
export interface Figure {
  readonly name: string;
  readonly value: string;
  /** The rain that it belongs to, if a page shows several. */
  readonly of: string;
  /** A part of a bar, or the sum that the parts must add up to. */
  readonly bar?: 'part' | 'sum';
}

/** A row of a table: its cells, and the instants in them, by the titles of the columns. */
export interface Row {
  readonly table: string;
  readonly cells: Readonly<Record<string, string>>;
  readonly instants: Readonly<Record<string, string>>;
}

/** What a person reads on a page at one instant. */
export interface Frame {
  readonly path: string;
  readonly text: string;
  readonly figures: readonly Figure[];
  readonly rows: readonly Row[];
  /** The phases in headings, by the rains that they belong to. */
  readonly phases: Readonly<Record<string, string>>;
  /** The instants in the sentence about an activity: its opening, its end, and when it was ended early. */
  readonly window: readonly string[];
  /** The parts of the page that announce what may happen. */
  readonly previews: readonly { readonly text: string; readonly instants: readonly string[] }[];
  /** What a player's page says about their money. */
  readonly player?: PlayerMoney;
}

export interface PlayerMoney {
  readonly balance: string;
  readonly won?: string;
  readonly settlement?: string;
  /** The answer to the last withdrawal. */
  readonly answer: string;
  /** Newest first. */
  readonly withdrawals: readonly { readonly amount: string; readonly state: string }[];
}

/**
 * Reads the whole page between two paints, so that everything in a frame is from the same instant. It runs in
 * the page.
 */
const READ = `(() => {
  const textOf = (element) => (element?.innerText ?? '').replace(/\\s+/g, ' ').trim();
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const instantsIn = (element) => all('time[datetime]', element).map((time) => time.dateTime);
  const ofWhat = (element) => element.closest('article')?.getAttribute('aria-label') ?? '';
  const figures = all('dl.facts > div').map((div) => ({
    name: textOf(div.querySelector('dt')),
    value: textOf(div.querySelector('dd')),
    of: ofWhat(div),
    ...(div.closest('section.proof') && { bar: div.classList.contains('place') ? 'part' : 'sum' }),
  }));
  const rows = all('table').flatMap((table) => all('tbody tr', table).map((row) => {
    const cells = all('td[data-title]', row);
    return {
      table: textOf(table.querySelector('caption')) || table.closest('[aria-label]').getAttribute('aria-label'),
      cells: Object.fromEntries(cells.map((cell) => [cell.dataset.title, textOf(cell)])),
      instants: Object.fromEntries(cells.flatMap((cell) => instantsIn(cell).map((at) => [cell.dataset.title, at]))),
    };
  }));
  const phases = Object.fromEntries(all(':is(h1, .rain-panel h2) > .phase').map((phase) => [ofWhat(phase), textOf(phase)]));
  const about = document.querySelector('h1 > .phase') && document.querySelector('.about');
  const balance = document.querySelector('[data-balance]');
  const amount = document.querySelector('[data-settlement]');
  const player = balance && {
    balance: balance.dataset.balance,
    ...(amount && { won: textOf(amount), settlement: textOf(document.querySelector('.settlement')) }),
    answer: textOf(document.querySelector('dialog.purse [role=status]')),
    withdrawals: all('.payouts li').map((item) => ({
      amount: textOf(item.querySelector('strong')),
      state: textOf(item.querySelector('span')),
    })),
  };
  return {
    path: location.pathname.replace(/^\\/console/, ''),
    text: textOf(document.querySelector('main')),
    figures,
    rows,
    phases,
    window: about ? instantsIn(about) : [],
    previews: all('.preview, .preflight').map((part) => ({ text: textOf(part), instants: instantsIn(part) })),
    ...(player && { player }),
  };
})()`;

export const frameOf = (page: Page): Promise<Frame> => page.evaluate<Frame>(READ);
