// Answers are written by serializers made from their schemas, each when it is first needed: all at once would take
// half of the time to start.
import { createRequire } from 'node:module'
import type { FastifySerializerCompiler } from 'fastify'

type Write = (answer: unknown) => string
const load = createRequire(import.meta.url)

export const serializerCompiler: FastifySerializerCompiler<object> = ({ schema }) => {
  let write: Write | undefined
  return answer => {
    write ??= (load('fast-json-stringify') as (from: object) => Write)(schema)
    return write(answer)
  }
}
