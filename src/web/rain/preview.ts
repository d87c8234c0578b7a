import { useEffect, useState } from 'preact/hooks';
import { type Moment, PREVIEW, PREVIEW_WANTED, type Preview } from '../kit/preview';
import { isPreview } from './place';
import { NOTHING_KNOWN, type Stage, type View } from './player';

const SAMPLE = { amount: '8.88', redPacketId: '0', settlement: 'credited', isOld: true } as const;
const SAMPLE_MS = 3_600_000;

/** The page as the console wants it shown, without a player. Nothing is asked of the API. */
export function usePreview(): View | undefined {
  const [view, setView] = useState<View>();
  useEffect(() => {
    if (!isPreview) return;
    const hear = ({ source, origin, data }: MessageEvent<Preview | undefined>) => {
      if (source !== parent || origin !== location.origin || data?.type !== PREVIEW) return;
      setView({ ...NOTHING_KNOWN, stage: stageAt(data.moment), activity: data.activity });
    };
    addEventListener('message', hear);
    parent.postMessage({ type: PREVIEW_WANTED }, location.origin);
    return () => removeEventListener('message', hear);
  }, []);
  return view;
}

function stageAt(moment: Moment): Stage {
  if (moment === 'scheduled') return { at: 'scheduled', opensAtMs: Date.now() + SAMPLE_MS };
  return moment === 'won' ? { at: 'won', win: SAMPLE } : { at: 'open' };
}
