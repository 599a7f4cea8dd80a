// Who did it: written on every change.

export type Actor = {
  readonly kind: 'key' | 'user' | 'app' | 'engine' | 'operator'
  readonly id: string
  /** Of an app that calls: the grant its token came of. */
  readonly grant_id?: string
}

export const ENGINE: Actor = { kind: 'engine', id: 'engine' }
export const OPERATOR: Actor = { kind: 'operator', id: 'operator' }

/** The form in which an actor is stored on a row. */
export function actorText(actor: Actor): string {
  return `${actor.kind}:${actor.id}`
}

/** With what somebody calls: a key, the tokens of one grant, or a person's sessions. */
export function credentialText(actor: Actor): string {
  return actor.grant_id === undefined ? actorText(actor) : `grant:${actor.grant_id}`
}

/** The actor a row names. */
export function readActor(text: string): Actor {
  const [kind = '', ...id] = text.split(':')
  return { kind: kind as Actor['kind'], id: id.join(':') }
}

/** Who did it and in which request, for the audit log. */
export type Origin = {
  readonly actor: Actor
  readonly request_id: string
  readonly address: string
}

/** What the service does by itself. */
export function engineOrigin(): Origin {
  return { actor: ENGINE, request_id: '', address: '' }
}

export function operatorOrigin(): Origin {
  return { actor: OPERATOR, request_id: '', address: '' }
}
