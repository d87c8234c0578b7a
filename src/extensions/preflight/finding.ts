import type { PreflightCheckDto, Reason } from './preflight.dto';

export type Finding = Omit<PreflightCheckDto, 'name'>;

const found =
  (verdict: PreflightCheckDto['verdict']) =>
  (code: Reason, reason: string, ...figures: string[]): Finding => ({ verdict, code, figures, reason });
export const [ok, warn, stop] = [found('ok'), found('warn'), found('stop')];
