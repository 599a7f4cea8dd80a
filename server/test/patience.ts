// How long tests wait for what is sure to come on a busy machine; nothing waits for it when all is well.
export const PATIENCE_MS = 240_000
