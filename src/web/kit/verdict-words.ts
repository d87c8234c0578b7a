import type { CheckedDrawer } from './drawer';

/**
 * `published`: the list is in order, and nobody can check more before its seeds are revealed. `kept`: the seeds that
 * were revealed are those that were committed to. `changed`: this device has seen something else before.
 * `uncommitted`: an earlier release drew some of the packets.
 */
export interface RainVerdict {
  readonly outcome: 'published' | 'kept' | 'changed' | 'refused' | 'uncommitted';
  readonly packets: number;
  /** How many of them this device has seen published as they are now, before their seed was revealed. */
  readonly seen: number;
  /** The server if it drew any batch alone. */
  readonly drawer: CheckedDrawer;
}

interface VerdictWords {
  readonly says: Readonly<Record<RainVerdict['outcome'], (packets: number) => string>>;
  /** How many packets this device has seen before their seed was revealed. */
  readonly seen: (seen: number, packets: number) => string;
}

/** Loaded with the check, because few people ask for it. */
export const VERDICT_WORDS: Readonly<Record<'en' | 'zh', VerdictWords>> = {
  en: {
    says: {
      published: (packets) =>
        `${packets === 1 ? 'One red packet is' : `${packets} red packets are`} published as fixed. ` +
        'Check again here after the end, when the seed is revealed.',
      kept: (packets) =>
        `Verified: the seed matches ${packets === 1 ? 'the published red packet' : `all ${packets} published red packets`}.`,
      changed: () => 'Verification failed: this device was shown something else before.',
      refused: () => "Verification failed: the published data doesn't match.",
      uncommitted: () => 'This rain is from before red packets were fixed in public.',
    },
    seen: (seen, packets) =>
      seen === 0
        ? "This device hadn't checked before the seed was revealed."
        : `This device saw ${seen === packets ? 'the same' : `${seen} of them`} before the seed was revealed.`,
  },
  zh: {
    says: {
      published: (packets) => `已公布 ${packets} 个确定的红包。结束后种子公开，届时请在本设备上再次核对。`,
      kept: (packets) => `已核对：种子与公布的全部 ${packets} 个红包一致。`,
      changed: () => '核对未通过：公布的内容与本设备之前看到的不一致。',
      refused: () => '核对未通过：公布的内容前后不符。',
      uncommitted: () => '这场红包雨早于公开承诺的版本，无法核对。',
    },
    seen: (seen, packets) => {
      if (seen === 0) return '种子公开之前，本设备没有核对过。';
      return seen === packets
        ? '与种子公开之前本设备看到的一致。'
        : `其中 ${seen} 个是种子公开之前本设备看到过的。`;
    },
  },
};

/** @param drawn says who drew the packets */
export function sentenceOf(
  { outcome, packets, seen, drawer }: RainVerdict,
  language: keyof typeof VERDICT_WORDS,
  drawn: Readonly<Record<CheckedDrawer, string>>,
): string {
  const words = VERDICT_WORDS[language];
  const said = [words.says[outcome](packets)];
  if (outcome === 'kept') said.push(words.seen(seen, packets));
  if (outcome === 'kept' || outcome === 'published') said.push(drawn[drawer]);
  return said.join(language === 'zh' ? '' : ' ');
}
