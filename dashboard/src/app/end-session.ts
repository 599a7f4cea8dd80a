// What follows where the session has ended: the login, or a word of it where something would be lost.
let tellEnded: () => void = () => {}

/** Set by the dialog that says that the session has ended. */
export function provideEnded(tell: typeof tellEnded): void {
  tellEnded = tell
}

/** Whoever is filling in a form, has chosen a file, or has yet to store a secret, stays with it. */
export function endSession(): void {
  if (document.querySelector('form, [aria-modal], [data-unsaved]')) tellEnded()
  else leaveToLogin()
}

/** The login page is the server's own; it leads back to where one was. */
export function leaveToLogin(): void {
  const here = window.location.pathname + window.location.search
  window.location.assign(`/login?next=${encodeURIComponent(here)}`)
}
