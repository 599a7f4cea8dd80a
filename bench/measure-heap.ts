// Preloaded into a service that is watched for leaks: on SIGUSR2 it collects and says what is left of its heap.
import { writeFileSync } from 'node:fs'

process.on('SIGUSR2', () => {
  globalThis.gc?.()
  writeFileSync(process.env.BENCH_HEAP_FILE!, String(process.memoryUsage().heapUsed))
})
