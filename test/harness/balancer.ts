import { waitFor } from './engines';

export class Balancer {
  private readonly underWay = new Map<string, number>();
  private urls: readonly string[] = [];
  private turn = 0;

  add(url: string): void {
    this.urls = [...this.urls, url];
    this.underWay.set(url, 0);
  }

  /** Sends nothing more to this server; resolves when all earlier requests have been answered. */
  async remove(url: string): Promise<void> {
    this.urls = this.urls.filter((other) => other !== url);
    await waitFor(() => this.underWay.get(url) === 0, { what: `the last answer of ${url}` });
  }

  async send<T>(request: (url: string) => Promise<T>): Promise<T> {
    const url = this.urls[this.turn++ % this.urls.length]!;
    this.count(url, 1);
    try {
      return await request(url);
    } finally {
      this.count(url, -1);
    }
  }

  private count(url: string, change: number): void {
    this.underWay.set(url, this.underWay.get(url)! + change);
  }
}
