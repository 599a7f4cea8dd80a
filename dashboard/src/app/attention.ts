// Knows whether somebody is at the window: what it asks for by itself while nobody is must keep no session alive.

/** Longer than the window's looks and the server's notes of use are apart, so that no moment of work is missed. */
const ATTENTION_MS = 120_000

/** Whoever has opened the window is there. */
let seen_at = Date.now()

export function isAttended(): boolean {
  return Date.now() - seen_at < ATTENTION_MS
}

/** Aids such as screen readers press and write without a key. */
const ACTS = ['pointerdown', 'pointermove', 'wheel', 'touchmove', 'keydown', 'click', 'input']

/** `comeBack`: somebody is there again. */
export function followAttention(comeBack: () => void): void {
  const notice = () => {
    const wasAway = !isAttended()
    seen_at = Date.now()
    if (wasAway) comeBack()
  }
  const early = { capture: true, passive: true }
  for (const act of ACTS) window.addEventListener(act, notice, early)
  // The window's own: the page itself moves the focus away from what vanishes.
  window.addEventListener('focus', notice)
  window.addEventListener('scroll', event => isWanted(event) && notice(), early)
}

const heights = new WeakMap<Element, number>()

/** What grows or shrinks is scrolled by the browser, to keep in its place what is read. */
function isWanted({ target }: Event): boolean {
  const scroller = target instanceof Element ? target : document.documentElement
  const before = heights.get(scroller)
  heights.set(scroller, scroller.scrollHeight)
  return before === scroller.scrollHeight
}
