/* global document, getComputedStyle, MouseEvent, NodeFilter */

/**
 * Returns everything that a person would see to be wrong with the page in its current state. Runs in the page.
 *
 * @param {{ language: 'en' | 'zh', names: string[], mainPx: number }} options
 */
({ language, names, mainPx }) => {
  const faults = new Set();
  const { documentElement: root, body } = document;
  const isSeen = (element) =>
    element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
    element.closest('.unseen, [hidden], svg') === null;
  const nameOf = (element) => {
    const text = (element.innerText || element.value || element.getAttribute('aria-label') || '').trim();
    const kind = element.tagName.toLowerCase() + (element.className ? '.' + element.className : '');
    return `${kind} "${text.slice(0, 40).replace(/\s+/g, ' ')}"`;
  };

  /** The part of a box, or of one line of it, that is not cut off by anything that scrolls or hides around it. */
  const boxOf = (element, line = element.getBoundingClientRect()) => {
    let { left, top, right, bottom } = line;
    for (let around = element.parentElement; around && around !== root; around = around.parentElement) {
      if (getComputedStyle(around).overflow === 'visible') continue;
      const edge = around.getBoundingClientRect();
      [left, top] = [Math.max(left, edge.left), Math.max(top, edge.top)];
      [right, bottom] = [Math.min(right, edge.right), Math.min(bottom, edge.bottom)];
    }
    return { left, top, right, bottom, width: right - left, height: bottom - top };
  };

  if (root.scrollWidth > root.clientWidth) {
    const wide = [...body.querySelectorAll('*')].filter(
      (one) => isSeen(one) && boxOf(one).right > root.clientWidth + 1,
    );
    faults.add(
      `scrolls sideways by ${root.scrollWidth - root.clientWidth} px: ${wide.slice(0, 2).map(nameOf).join(', ')}`,
    );
  }

  const elements = [...body.querySelectorAll('*')].filter(isSeen);
  for (const element of elements) {
    const style = getComputedStyle(element);
    // A text that is cut off may be shown in full when the pointer rests on it.
    if (style.textOverflow === 'ellipsis')
      element.dispatchEvent(new MouseEvent('mouseover', { bubbles: true }));
    const isCut = (overflow) => overflow === 'hidden' || overflow === 'clip';
    const isTold = style.textOverflow === 'ellipsis' && element.closest('[title]') !== null;
    const text = (element.innerText ?? '').trim();
    if (text === '' || isTold) continue;
    if (isCut(style.overflowX) && element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 1)
      faults.add(`cut off: ${nameOf(element)}`);
    if (isCut(style.overflowY) && element.scrollHeight > element.clientHeight + 2 && element.clientHeight > 1)
      faults.add(`cut off below: ${nameOf(element)}`);
  }

  const escaped = names.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const known = new RegExp(escaped.join('|'), 'g');
  /** URLs, subjects such as `wallet:u1`, and ids of messages such as `payout_2_6`. */
  const ADDRESSES = /https?:\S+|\b[a-z-]+:[\w-]+|\b[a-z]+(_\d+)+/g;
  const texts = document.createTreeWalker(body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const place = texts.currentNode.parentElement;
    const text = texts.currentNode.data.trim();
    if (text === '' || !isSeen(place) || place.closest('script, style, noscript') !== null) continue;
    const px = parseFloat(getComputedStyle(place).fontSize);
    // Texts without a size are for screen readers.
    if (px > 0 && px < 11) faults.add(`too small: "${text.slice(0, 40)}"`);
    if (place.closest('code, pre, output, option, [lang]:not(html)') !== null) continue;
    const ours = text.replace(known, ' ');
    const strange =
      /undefined|\bNaN\b|\[object|\bInvalid Date\b|\d{4}-\d\d-\d\dT\d\d:|\b[a-z]+_[a-z_]+\b/.exec(ours);
    if (strange) faults.add(`"${strange[0]}" in "${text.slice(0, 60)}"`);
    const prose = text.replace(ADDRESSES, ' ').replace(known, ' ');
    const foreign = language === 'zh' ? /[A-Za-z]{3,}/.exec(prose) : /\p{Script=Han}+/u.exec(prose);
    if (foreign) faults.add(`in another language: "${foreign[0]}" in "${text.slice(0, 60)}"`);
  }

  const floats = (element) => {
    for (let one = element; one && one !== root; one = one.parentElement)
      if (['fixed', 'sticky'].includes(getComputedStyle(one).position)) return true;
    return false;
  };
  const clickable = elements
    .filter((one) => one.matches('a[href], button, input, select, textarea, summary'))
    .flatMap((element) =>
      [...element.getClientRects()].map((line) => ({
        ...{ element, box: boxOf(element, line), floats: floats(element) },
      })),
    )
    .filter(({ box }) => box.width > 0 && box.height > 0);
  for (const { element } of clickable) {
    const { width, height } = element.getBoundingClientRect();
    const size = `${Math.round(width)} x ${Math.round(height)}`;
    if (element.matches('button, select, summary') && Math.min(width, height) < 23.5)
      faults.add(`small target ${size}: ${nameOf(element)}`);
    if (element.matches('button.main, .deed') && height < mainPx - 0.5)
      faults.add(`low main button ${size}: ${nameOf(element)}`);
  }
  for (const [i, one] of clickable.entries())
    for (const other of clickable.slice(i + 1)) {
      if (one.floats !== other.floats) continue;
      if (one.element.contains(other.element) || other.element.contains(one.element)) continue;
      const width = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
      const height = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
      if (width > 2 && height > 2) faults.add(`${nameOf(one.element)} covers ${nameOf(other.element)}`);
    }
  return [...faults];
};
