// Words of a message or an answer, as a sentence. Pure.

/** An address or a name such as hooks.example.com is spelt as it is. */
const SPELT = /^\S+[@.]\w/

export function sentence(text: string): string {
  const begun = SPELT.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1)
  return /[.!?]$/.test(begun) ? begun : `${begun}.`
}

/** Letters written from right to left, and marks that turn the direction. */
const TURNS =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Bidi_Control}]/u

/** Marks that make what follows read the other way round, whatever its letters. */
const OVERRIDES = /[\u202a-\u202e\u2066-\u2069]/g

/** As its letters are written: no name reads as another. */
export const straight = (name: string): string => name.replace(OVERRIDES, '')

/** Where each character counts, as in a name of a system or in code: the marks are written out. */
export const spelt = (text: string): string =>
  text.replace(OVERRIDES, mark => `\\u${mark.charCodeAt(0).toString(16)}`)

/** A name among other words, which keep their places whichever way it is written. */
export function apart(name: string): string {
  const plain = straight(name)
  return TURNS.test(plain) ? `\u2068${plain}\u2069` : plain
}
