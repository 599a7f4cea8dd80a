// Words of a message or an answer, as a sentence. Pure.

/** An address or a name such as hooks.example.com is spelt as it is. */
const SPELT = /^\S+[@.]\w/

export function sentence(text: string): string {
  const begun = SPELT.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1)
  return /[.!?]$/.test(begun) ? begun : `${begun}.`
}
