const VALUE_RANGE = 2 ** 53;

/** An endless sequence of random integers that is a function of its seed. */
export abstract class RandomValues {
  /**
   * Returns an integer from 0 to `bound` − 1, each equally likely; `bound` is an integer from 1 to
   * 2^53.
   *
   * A value in the last, incomplete stretch of `bound` values is drawn again, because keeping it would make
   * small results likelier. The quotient's floor is exact: the quotient of two integers up to 2^53 that lies
   * below an integer never rounds up to it.
   */
  below(bound: number): number {
    for (;;) {
      const value = this.next();
      const stretchStart = Math.floor(value / bound) * bound;
      if (stretchStart <= VALUE_RANGE - bound) return value - stretchStart;
    }
  }

  /** 53 uniform bits. */
  protected abstract next(): number;
}
