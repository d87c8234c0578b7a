import { ApiClient } from '../../../libs/client';
import { signToken } from '../../platform/http/auth/sign-token';
import { type LocalSystem, type LocalSystemOptions, startLocalSystem } from '../local/system';
import { verifySystem } from '../local/verify-system';
import { Breakage } from './breakage';
import { BreakageServer } from './breakage-server';
import { EndlessRain } from './endless-rain';

/** Simulated users play rain after rain, and the wall has buttons that break the system. */
export class WatchedDemo {
  private playing: Promise<void> = Promise.resolve();

  private constructor(
    private readonly system: LocalSystem,
    private readonly server: BreakageServer,
    private readonly breakage: Breakage,
    private readonly rain: EndlessRain,
    /** Addresses of the wall, signed in, and of the first rain. */
    readonly wallUrl: string,
    public rainUrl = '',
  ) {}

  static async start(options: LocalSystemOptions): Promise<WatchedDemo> {
    const server = new BreakageServer();
    const demo = { NODE_ENV: 'development', RAIN_GUESTS: 'true', DEMO_FAULTS_URL: await server.listen() };
    const system = await startLocalSystem({ ...options, env: { ...options.env, ...demo } });
    const breakage = new Breakage(system);
    server.serve(breakage);
    const tokenOf = (sub: string, role: 'user' | 'operator') =>
      signToken({ secret: system.jwtSecret }, { sub, role });
    const clientOf = (user: string) => new ApiClient(system.apiUrl, tokenOf(user, 'user'));
    const operatorToken = tokenOf('demo-operator', 'operator');
    const rain = new EndlessRain(new ApiClient(system.apiUrl, operatorToken), clientOf);
    const wallUrl = `${system.adminUrl}/console/wall#token=${operatorToken}`;
    return new WatchedDemo(system, server, breakage, rain, wallUrl);
  }

  /** @param tapsPerSecond taps of all simulated users together */
  async play(tapsPerSecond?: number): Promise<void> {
    const first = await this.rain.open();
    this.rainUrl = `${this.system.apiUrl}/rain/${first.id}`;
    this.playing = this.rain.run(first, tapsPerSecond);
  }

  /** Stops the rain, waits until nothing is open or broken, and checks every invariant. */
  async verify(): Promise<{ balanced: boolean; output: string }> {
    this.rain.stop();
    await Promise.all([this.playing, this.breakage.end()]);
    return verifySystem(this.system);
  }

  async stop(): Promise<void> {
    this.rain.stop();
    this.server.stop();
    await this.breakage.end();
    await this.system.stop();
  }
}
