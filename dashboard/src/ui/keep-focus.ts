// Focus is never lost: when what had it goes away or is switched off, the nearest thing that is left takes it.

/** What has focus, what holds it, then what had opened that: the first that is left takes over. */
let trail: readonly HTMLElement[] = []
/** Where focus was put from here; the trail still stands for what had it. */
let placed: Element | null = null
/** The person went elsewhere: nothing was lost. */
let left = true
const openers = new WeakMap<Element, readonly HTMLElement[]>()

export function keepFocus(): void {
  document.addEventListener('focusin', event => follow(event.target as HTMLElement))
  document.addEventListener('focusout', event => {
    // What is being removed or switched off can only be told from what was left afterwards.
    queueMicrotask(() => {
      if (document.activeElement === document.body) left = isUsable(event.target as HTMLElement)
    })
  })
  new MutationObserver(restore).observe(document.body, {
    childList: true,
    subtree: true,
    attributeFilter: ['disabled'],
  })
}

function follow(target: HTMLElement): void {
  left = false
  if (target === placed) return
  placed = null
  const layer = target.closest('[role="dialog"], [role="menu"], [data-toast]')
  if (layer && !openers.has(layer)) openers.set(layer, trail)
  trail = [target, ...holdersOf(target), ...((layer && openers.get(layer)) ?? [])]
}

/** What is around it and may hold focus: the table, the dialog, the page. */
function holdersOf(target: HTMLElement): HTMLElement[] {
  const holder = target.parentElement?.closest<HTMLElement>('[tabindex="-1"]')
  return holder ? [holder, ...holdersOf(holder)] : []
}

function isUsable(element: HTMLElement): boolean {
  return element.isConnected && !element.matches(':disabled') && element.checkVisibility()
}

function restore(): void {
  const [first] = trail
  const at = document.activeElement
  if (left || !first || (at !== document.body && at !== placed)) return
  // A button that waits for its request comes back by itself.
  if (first.isConnected && first.matches('[data-loading]')) return
  const next = trail.find(isUsable)
  if (!next || next === at) return
  placed = next
  next.focus({ preventScroll: true })
}
