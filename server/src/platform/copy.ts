// COPY as streams, on a connection that goes on afterwards whether they are read to their end or not.
import { Readable, Writable } from 'node:stream'
import { serialize } from 'pg-protocol'
import type { Connection, Part, Session } from './wire.ts'

type Ask = (more: Partial<Part>) => Promise<unknown>

export async function copyOut(session: Session, ask: Ask): Promise<Readable> {
  const rows: Readable = new Readable({
    read: () => session.resume(),
    // What is left of an answer that nobody reads any more is heard and dropped.
    destroy(error, done) {
      session.resume()
      done(error)
    },
  })
  ask({ copyOut: rows }).catch((error: Error) => rows.destroy(error))
  return rows
}

/** Ends when the database has taken it all; where it refuses a row, that is the error of the stream. */
export function openCopyIn(ask: Ask): Promise<Writable> {
  return new Promise((resolve, reject) => {
    let into: Connection | null = null
    const rows = new Writable({
      write(chunk: Buffer, _encoding, done) {
        into!.stream.write(serialize.copyData(chunk), () => done())
      },
      final(done) {
        into!.stream.write(serialize.copyDone())
        over.then(() => done(), done)
      },
      destroy(error, done) {
        if (error && into && !isOver) into.stream.write(serialize.copyFail(error.message))
        done(error)
      },
    })
    let isOver = false
    const over = ask({
      copyIn: connection => {
        into = connection
        resolve(rows)
      },
    }).finally(() => {
      isOver = true
    })
    over.catch((error: Error) => {
      reject(error)
      rows.destroy(error)
    })
  })
}
