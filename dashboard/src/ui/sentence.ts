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

/** A name among other words, which keep their places whichever way it is written. */
export const apart = (name: string): string => (TURNS.test(name) ? `\u2068${name}\u2069` : name)
