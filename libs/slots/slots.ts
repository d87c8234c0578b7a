import { isStaff, type Role } from '../roles';

/**
 * Lets a limited number of tasks run at a time. Without a free slot a task is refused at once, so
 * that heavy work does not pile up. Users may have half of the slots; the rest is left to staff.
 */
export class Slots {
  private staff = 0;
  private users = 0;

  /** @param count an even number */
  constructor(private readonly count: number) {}

  /** @throws the error that `refusal` makes, if no slot is free for this role */
  async run<T>(role: Role, work: () => Promise<T>, refusal: () => Error): Promise<T> {
    const kind = isStaff(role) ? 'staff' : 'users';
    if (!this.hasRoom(kind)) throw refusal();
    this[kind] += 1;
    try {
      return await work();
    } finally {
      this[kind] -= 1;
    }
  }

  private hasRoom(kind: 'staff' | 'users'): boolean {
    if (kind === 'users' && this.users >= this.count / 2) return false;
    return this.staff + this.users < this.count;
  }
}
