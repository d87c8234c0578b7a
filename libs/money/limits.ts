/**
 * Returns the figures of a setting that has one for each currency, by their codes: `CNY=1000.00,COINS=50000`.
 * A bare figure is of the default.
 */
export const limitsIn = (setting: string, defaultCode: string): (readonly [code: string, figure: string])[] =>
  setting.split(',').map((part) => {
    const [figure = '', code = defaultCode] = part.split('=').reverse();
    return [code, figure];
  });
