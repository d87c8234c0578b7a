import { useEffect, useState } from 'preact/hooks';
import { isOfCodes } from '../kit/money';
import { type Moment, PREVIEW, PREVIEW_WANTED, type Preview } from '../kit/preview';
import { isPreview } from './place';
import { NOTHING_KNOWN, type Stage, type View } from './player';

const SAMPLE = { amount: '8.88', redPacketId: '0', settlement: 'credited', isOld: true } as const;
const SAMPLE_CODE = { redPacketId: '0', shown: { code: 'LUCK-2WQX-88', poolName: '' } } as const;
const SAMPLE_MS = 3_600_000;

/** The page as the console wants it shown, without a player. Nothing is asked of the API. */
export function usePreview(): View | undefined {
  const [view, setView] = useState<View>();
  useEffect(() => {
    if (!isPreview) return;
    const hear = ({ source, origin, data }: MessageEvent<Preview | undefined>) => {
      if (source !== parent || origin !== location.origin || data?.type !== PREVIEW) return;
      const { activity, moment } = data;
      setView({
        ...NOTHING_KNOWN,
        ...(isOfCodes(activity.currency) ? codeAt(moment) : { stage: stageAt(moment) }),
        activity,
      });
    };
    addEventListener('message', hear);
    parent.postMessage({ type: PREVIEW_WANTED }, location.origin);
    return () => removeEventListener('message', hear);
  }, []);
  return view;
}

/** In a rain of codes, each packet gives a code. */
const codeAt = (moment: Moment): Pick<View, 'stage' | 'code'> =>
  moment === 'won'
    ? { stage: { at: 'won', win: { ...SAMPLE, amount: '1' } }, code: SAMPLE_CODE }
    : { stage: stageAt(moment) };

function stageAt(moment: Moment): Stage {
  if (moment === 'scheduled') return { at: 'scheduled', opensAtMs: Date.now() + SAMPLE_MS };
  return moment === 'won' ? { at: 'won', win: SAMPLE } : { at: 'open' };
}
