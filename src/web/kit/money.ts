import type { Language } from './language';

/** An amount of the API as people write it. A number shows every amount that there can be exactly, and nothing is computed here. */
export function moneyText(amount: string | number, currency: string, language: Language): string {
  return new Intl.NumberFormat(language === 'zh' ? 'zh-CN' : 'en', {
    style: 'currency',
    currency,
    currencyDisplay: 'narrowSymbol',
  }).format(Number(amount));
}
