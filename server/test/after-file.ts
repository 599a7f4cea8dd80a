// What tests have opened is closed after the last test of their file, wherever it was opened: vitest passes over an
// afterAll that is asked for within a test or another hook, and the files of a worker share its process.
const opened: (() => unknown)[] = []

export function afterFile(close: () => unknown): void {
  opened.push(close)
}

export async function closeOpened(): Promise<void> {
  for (const close of opened.splice(0).reverse()) await close()
}
