const NAMED_MAX = 1_000;

/**
 * The sums that a file of the archive left on accounts, minus its credits: each ends at zero if the
 * two agree. A file may have ten million accounts, so each takes 16 bytes.
 */
export class AccountSums {
  private readonly ids: BigInt64Array;
  private readonly left: BigInt64Array;
  private size = 0;
  private strangers = 0;

  constructor(accounts: number) {
    this.ids = new BigInt64Array(accounts);
    this.left = new BigInt64Array(accounts);
  }

  /** Call it in the order of account ids. */
  push(accountId: string, netMinor: string): void {
    this.ids[this.size] = BigInt(accountId);
    this.left[this.size] = BigInt(netMinor);
    this.size += 1;
  }

  subtract({ from, to, amount }: Readonly<Record<'from' | 'to' | 'amount', string>>): void {
    this.add(BigInt(from), BigInt(amount));
    this.add(BigInt(to), -BigInt(amount));
  }

  private add(accountId: bigint, amountMinor: bigint): void {
    const at = this.indexOf(accountId);
    if (this.ids[at] === accountId) this.left[at]! += amountMinor;
    else this.strangers += 1;
  }

  /** The index of the first id that is not smaller. */
  private indexOf(accountId: bigint): number {
    let [low, high] = [0, this.size];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.ids[middle]! < accountId) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The faults, one line each. */
  faults(): string[] {
    const faults =
      this.strangers === 0 ? [] : [`${this.strangers} times a credit has an account without a sum.`];
    for (let i = 0; i < this.size && faults.length < NAMED_MAX; i++)
      if (this.left[i] !== 0n)
        faults.push(`Account ${this.ids[i]} is recorded with another sum than its credits have.`);
    return faults;
  }
}
