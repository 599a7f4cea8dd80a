// Where to go after logging in: a path of this service, never another site.

const FORM = /^\/(?![/\\])[\x21-\x7e]*$/
/** Room for an app's longest `state`, encoded; Node takes no longer request line and headers than 16 KiB anyway. */
const LONGEST_PATH = 16_000
const BASE = 'http://local.invalid'

/** Invariant: what is returned begins with one slash, however the text was spelt. */
export function readLocalPath(text: string): string {
  if (text.length > LONGEST_PATH || !FORM.test(text) || !URL.canParse(text, BASE)) return '/'
  const url = new URL(text, BASE)
  const path = url.pathname + url.search
  return url.origin === BASE && FORM.test(path) && !path.includes('\\') ? path : '/'
}
