// The question who one is, which a call puts before it does something sensitive.

type Proof = () => Promise<boolean>
let ask: Proof = async () => false
let waiting: Promise<boolean> | null = null

/** Set by the dialog that asks people to confirm who they are. */
export function provideProof(dialog: Proof): void {
  ask = dialog
}

/** There is one dialog, and its answer is for every call that waits for it. */
export function askForProof(): Promise<boolean> {
  waiting ??= ask().finally(() => {
    waiting = null
  })
  return waiting
}
