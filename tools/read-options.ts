// Options of the programs for developers: --help says how they are called, and a wrong one is one line, not a stack.
import { type ParseArgsConfig, parseArgs } from 'node:util'

export function readOptions<T extends ParseArgsConfig>(usage: string, config: T) {
  if (process.argv.slice(2).includes('--help')) {
    console.log(usage)
    process.exit()
  }
  try {
    return parseArgs(config)
  } catch (error) {
    const [message] = (error as Error).message.split('. ')
    return refuse(`${message}; ${usage}`)
  }
}

/** Anything else would do nothing and look like success. */
export function readCount(option: string, text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  return refuse(`--${option} must be a whole number from 1 to 999999999, not "${text}"`)
}

export function refuse(line: string): never {
  console.error(line)
  process.exit(1)
}
