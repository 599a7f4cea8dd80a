// The driver with faults mended that end or block a process when the database goes away under load: a write after the
// connection has closed was an error that nobody could catch; a write that was put off at that moment kept the
// connection from ever writing again; the last error of a connection, and what was still sent on it, were taken for
// those of the next; a connection that ended while the driver read the array types was an error nobody could catch.
// (porsager/postgres, issues 1154 and 1208)
// A certificate was held against another name than the one that was given, where that was an address.
// A COPY that was read slowly, or not to its end, left the connection paused: nothing was heard on it any more. And one
// whose last row was sent before the database refused a row never came to an end.
// And what is asked in one turn is one write, and an answer is made without defining its properties one by one.
// And a transaction waits less: its settings are one message with its BEGIN, its first statements go out with it, and
// what it does not wait for with its COMMIT, where a fault of it is told.
import { registerHooks } from 'node:module'

type Mend = { readonly find: string; readonly put: string }

type File = 'connection.js' | 'index.js' | 'result.js'

const MENDS: Record<File, readonly Mend[]> = {
  'connection.js': [
    {
      find: '  function nextWrite(fn) {\n',
      // Only what was written is refused; a query that waits for the next connection goes on waiting. `true`, as the
      // pool would otherwise count the closed connection as busy for ever.
      put: `  function nextWrite(fn) {
    if (socket === null) {
      chunk = nextWriteTimer = null
      const gone = Errors.connection('CONNECTION_CLOSED', options)
      query && queryError(query, gone)
      query = null
      while (sent.length)
        queryError(sent.shift(), gone)
      return true
    }
`,
    },
    {
      find: '    clearImmediate(nextWriteTimer)\n    if (socket) {\n',
      put: '    nextWriteTimer = null\n    if (socket) {\n',
    },
    {
      find: "    clearImmediate(nextWriteTimer)\n    socket.removeListener('data', data)\n",
      put:
        '    clearImmediate(nextWriteTimer)\n    chunk = nextWriteTimer = null\n' +
        "    socket.removeListener('data', data)\n",
    },
    {
      // What was sent after the error had been told would otherwise take the answers of the next connection.
      find: '    !hadError && (query || sent.length) && error(',
      put: '    ;(query || sent.length) && error(',
    },
    {
      find: '    closedTime = performance.now()\n    hadError',
      put:
        '    query = results = errorResponse = null\n    result = new Result()\n' +
        '    closedTime = performance.now()\n    hadError',
    },
    {
      // A server that offers no TLS would be spoken to in TLS, and hang up; of why nothing would be known.
      find: "      if (!canSSL && ssl === 'prefer')\n",
      put: `      if (!canSSL && ssl !== 'prefer')
        return socket.destroy(Object.assign(new Error('no TLS'), { code: 'NO_TLS' }))
      if (!canSSL)
`,
    },
    {
      // What is asked in one turn is one message, sent at its end: a loop that is busy takes milliseconds to come round.
      find: `    if (fn || chunk.length >= 1024)
      return nextWrite(fn)
    nextWriteTimer === null && (nextWriteTimer = setImmediate(nextWrite))
    return true
`,
      put: `    if (fn || chunk.length >= 65536)
      return nextWrite(fn)
    nextWriteTimer === null && (nextWriteTimer = true, process.nextTick(endTurn))
    return true
  }

  function endTurn() {
    nextWriteTimer !== null && nextWrite()
`,
    },
    {
      // Without it the certificate of a host that is named by its address would be held against "localhost".
      find: '      servername: net.isIP(socket.host) ? undefined : socket.host\n',
      put:
        '      host: socket.host,\n' +
        '      servername: net.isIP(socket.host) ? undefined : socket.host\n',
    },
    {
      // Whoever watches the socket watches what is said through it from here on.
      find: '    socket.removeAllListeners()\n    socket = tls.connect(options)\n',
      put: `    const { onsecure } = socket
    socket.removeAllListeners()
    socket = tls.connect(options)
    onsecure && onsecure(socket)
`,
    },
    {
      // Without the types nothing may be asked on it: the connection ends, and whoever waited is told by that.
      find: '        return fetchArrayTypes()\n',
      put: '        return fetchArrayTypes().catch(() => { socket && socket.destroy() })\n',
    },
    {
      // After the last row nobody asks for more, so nobody else would resume what a full stream has paused.
      find: '    stream && stream.push(null)\n',
      put: '    stream && (stream.push(null), socket.resume())\n',
    },
    {
      // Whoever has sent the last row of a COPY and waits for the word of the database hears a no too.
      find: '  function errored(err) {\n',
      put: '  function errored(err) {\n    final && (final(err), final = null)\n',
    },
    {
      // What is left of an answer that nobody reads any more is heard and dropped.
      find: '    stream = new Stream.Readable({\n      read() { socket.resume() }\n    })\n',
      put: `    const copied = stream = new Stream.Readable({
      read() { socket.resume() },
      destroy(error, callback) {
        stream === copied && (stream = null)
        socket && socket.resume()
        callback(error)
      }
    })
`,
    },
  ],
  'result.js': [
    {
      // Properties defined one by one took 3 µs and more for each answer.
      find: `  constructor() {
    super()
    Object.defineProperties(this, {
      count: { value: null, writable: true },
      state: { value: null, writable: true },
      command: { value: null, writable: true },
      columns: { value: null, writable: true },
      statement: { value: null, writable: true }
    })
  }
`,
      put: ['count', 'state', 'command', 'columns', 'statement']
        .map(
          name =>
            `  #${name} = null\n  get ${name}() { return this.#${name} }\n` +
            `  set ${name}(value) { this.#${name} = value }\n`,
        )
        .join(''),
    },
  ],
  'index.js': [
    {
      find: "      await sql.unsafe('begin ' + options.replace(/[^a-z ]/ig, ''), [], { onexecute }).execute()\n",
      put: `      const begun = sql.unsafe('begin ' + options, [], { onexecute }).execute()
      const failed = new Promise((_, reject) => begun.catch(reject))
      await Promise.race([placed, failed])
`,
    },
    {
      find: '        scope(connection, fn),\n',
      put: '        scope(connection, fn),\n        failed,\n',
    },
    {
      find: '      , prepare = null\n',
      put: `      , prepare = null
      , place
    const placed = new Promise(resolve => place = resolve)
`,
    },
    {
      find: '      connection = c\n',
      put: '      connection = c\n      place()\n',
    },
    {
      find: '      , open = Queue()\n',
      put: '      , open = Stack()\n',
    },
    {
      // The connection used last is used next: its server process has at hand what the next needs.
      find: 'function parseOptions(a, b) {\n',
      put: `function Stack() {
  const xs = []
  return {
    get length() {
      return xs.length
    },
    remove: x => {
      const at = xs.lastIndexOf(x)
      return at === -1 ? null : (xs.splice(at, 1), x)
    },
    push: x => (xs.push(x), x),
    shift: () => xs.pop()
  }
}

function parseOptions(a, b) {
`,
    },
    {
      // A connection that a transaction has taken takes its next statements at once.
      find: '    return c.execute(query)\n      ? move(c, busy)\n',
      put: `    const ready = c.execute(query)
    return c.queue === reserved
      ? c
      : ready
      ? move(c, busy)
`,
    },
    {
      find: '          : await sql`commit`\n',
      put: '          : await sql`commit`\n        if (uncaughtError)\n          throw uncaughtError\n',
    },
  ],
}

/** Invariant: a version of the driver that looks otherwise is refused at the start, never used unmended. */
export function mendDriver(file: File, text: string): string {
  return MENDS[file].reduce((mended, { find, put }) => {
    const parts = mended.split(find)
    if (parts.length !== 2) throw new Error('this version of the driver "postgres" is not known')
    return parts.join(put)
  }, text)
}

const hooks = registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    const [, file] = /\/postgres\/src\/(connection\.js|index\.js|result\.js)$/.exec(url) ?? []
    if (!file) return loaded
    return { ...loaded, source: mendDriver(file as File, String(loaded.source)) }
  },
})
const { default: postgres } = await import('postgres')
hooks.deregister()

export { postgres }
