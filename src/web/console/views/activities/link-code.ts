import { generate } from 'lean-qr';
import { toSvgDataURL, toSvgPath } from 'lean-qr/extras/svg';

/** The QR code of a link: its modules along a side, its dark modules as the path of an SVG, and the SVG as a URL. */
export function codeOf(link: string) {
  const code = generate(link);
  return { size: code.size, path: toSvgPath(code), file: toSvgDataURL(code) };
}
