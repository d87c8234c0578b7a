/** A program that is to see a wrong clock loads this before everything else. */
const skewMs = Number(process.env.CLOCK_SKEW_MS);
const TrueDate = Date;

class SkewedDate extends TrueDate {
  constructor(...args: [] | [value: number | string | Date]) {
    if (args.length === 0) super(SkewedDate.now());
    else super(...(args as [number]));
  }

  static override now(): number {
    return TrueDate.now() + skewMs;
  }
}

globalThis.Date = SkewedDate as DateConstructor;
