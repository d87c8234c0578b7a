import { useEffect, useState } from 'preact/hooks';
import { claimsOf } from '../../kit/person';
import { type Session, SIGNED_OUT } from '../../kit/session';
import type { Client } from './open-id';

/** A token is renewed when a quarter of its life is left. */
const LEFT_PART = 1 / 4;
const WARNING_MS = 120_000;
/** A token that is refused sooner than this after its arrival is refused for another reason than its age. */
const YOUNG_MS = 30_000;
/** Browsers fire a longer timer at once. */
const TIMER_MAX_MS = 2 ** 31 - 1;

export interface SignedIn {
  /** The sign-in ends at this moment, soon, and was not renewed. */
  readonly endsAt?: Date;
  /** The last sign-in ended by itself. */
  readonly hasEnded: boolean;
  readonly signOut: () => void;
}

/** Renews the token of this tab where the service allows it, and warns of its end where not. */
export function useSignedIn(
  session: Session,
  token: string | undefined,
  service: Client | undefined,
): SignedIn {
  const [state, setState] = useState<Omit<SignedIn, 'signOut'>>({ hasEnded: false });
  useEffect(() => {
    setState(({ hasEnded }) => ({ hasEnded: hasEnded && token === undefined }));
    if (token === undefined) return undefined;
    const { endsAtMs, renewAtMs } = lifeOf(token);
    const arrivedAtMs = Date.now();
    const warn = () => setState({ endsAt: new Date(endsAtMs), hasEnded: false });
    // Services that rotate renewal tokens treat a second use of the old token as theft.
    let underWay: Promise<boolean> | undefined;
    const renewOnce = () => (underWay ??= renewed().finally(() => (underWay = undefined)));
    const renewed = async (): Promise<boolean> => {
      const newer = await newerToken(service).catch(() => undefined);
      if (newer !== undefined && session.token === token) session.use(newer);
      return newer !== undefined;
    };
    const end = async () => {
      const isOld = Date.now() >= endsAtMs || Date.now() - arrivedAtMs > YOUNG_MS;
      if ((isOld && (await renewOnce())) || session.token !== token) return;
      setState({ hasEnded: true });
      session.use(undefined);
    };
    const refused = () => void end();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    const plan = async () => {
      const renews = await mayRenew(service).catch(() => false);
      if (isOver) return;
      timer = renews
        ? at(renewAtMs, () => void renewOnce().then((isRenewed) => isRenewed || warn()))
        : at(endsAtMs - WARNING_MS, warn);
    };
    void plan();
    addEventListener(SIGNED_OUT, refused);
    return () => {
      removeEventListener(SIGNED_OUT, refused);
      isOver = true;
      clearTimeout(timer);
    };
  }, [session, token, service]);
  const signOut = () => {
    setState({ hasEnded: false });
    session.use(undefined);
    if (!service) return;
    void openId().then(
      ({ signOutAt }) => signOutAt(service),
      // The secrets that renew a token must not outlast a sign-out, even if the code for it did not load.
      () => sessionStorage.clear(),
    );
  };
  return { ...state, signOut };
}

const openId = () => import('./open-id');

const mayRenew = async (service: Client | undefined): Promise<boolean> =>
  service !== undefined && (await openId()).mayRenew();

const newerToken = async (service: Client | undefined): Promise<string | undefined> =>
  service && (await openId()).renew(service);

/** Whether a token lasts longer than the other. */
export const outlasts = (token: string, other: string): boolean =>
  lifeOf(token).endsAtMs > lifeOf(other).endsAtMs;

function lifeOf(token: string) {
  const { iat, exp } = (claimsOf(token) ?? {}) as { iat?: number; exp?: number };
  const endsAtMs = exp === undefined ? Infinity : exp * 1000;
  const lifeMs = exp === undefined ? 0 : endsAtMs - (iat === undefined ? Date.now() : iat * 1000);
  return { endsAtMs, renewAtMs: endsAtMs - lifeMs * LEFT_PART };
}

/** A moment that is over is now. */
function at(moment: number, deed: () => void): ReturnType<typeof setTimeout> | undefined {
  const delayMs = moment - Date.now();
  return delayMs < TIMER_MAX_MS ? setTimeout(deed, delayMs) : undefined;
}
