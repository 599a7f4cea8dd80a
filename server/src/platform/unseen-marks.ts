// Characters that nobody sees and by which a text is not what it seems, as parts of a class in a pattern.

/** They turn the direction of what follows, whatever its letters: a name would read as another. */
export const TURNING = '\\u202a-\\u202e\\u2066-\\u2069'

/** Also soft hyphen, zero width space and the weaker marks of direction; not the joiners, which some scripts need. */
export const UNSEEN =
  '\\u00ad\\u061c\\u200b\\u200e\\u200f\\u202a-\\u202e\\u2060-\\u2064\\u2066-\\u206f'
