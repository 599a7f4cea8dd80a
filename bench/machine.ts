// The machine the figures were measured on, as far as it tells.
import { arch, availableParallelism, cpus, platform, release, totalmem } from 'node:os'

export type Machine = {
  system: string
  processor: string
  cores: number
  memory_gib: number
  node: string
}

export function readMachine(): Machine {
  const [first] = cpus()
  return {
    system: `${platform()} ${release()}`,
    processor: `${first?.model.trim() || 'unknown'} (${arch()})`,
    cores: availableParallelism(),
    memory_gib: Math.round(totalmem() / 2 ** 30),
    node: process.version,
  }
}
