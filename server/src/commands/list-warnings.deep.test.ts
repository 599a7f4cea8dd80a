// Which settings are warned of at the start, and which are not.
import { expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { listWarnings } from './list-warnings.ts'

const warn = (env: Record<string, string | undefined>) => listWarnings(readConfig(env))

test.each([
  {},
  { HOST: '::1' },
  { HOST: 'localhost' },
  { HOST: '0.0.0.0', BELLWETHER_PUBLIC_URL: 'https://scores.example' },
  { DATABASE_URL: 'postgres://u@%2Fvar%2Frun%2Fpostgresql/db' },
  { DATABASE_URL: 'postgres://u@127.0.0.1/db' },
  { DATABASE_URL: 'postgres://u@db.internal/db?sslmode=verify-full' },
  { BELLWETHER_SMTP_URL: 'smtps://mail.example' },
  { BELLWETHER_SMTP_URL: 'smtp://localhost:25' },
  { BELLWETHER_SMTP_URL: 'smtp://mail.example?requireTLS=true' },
])('nothing is said of %j', env => {
  expect(warn(env)).toEqual([])
})

test.each([
  [{ HOST: '0.0.0.0' }, 'HOST 0.0.0.0'],
  [{ HOST: '::', BELLWETHER_PUBLIC_URL: 'http://scores.example' }, 'BELLWETHER_PUBLIC_URL'],
  [{ DATABASE_URL: 'postgres://u:pw-x@db.internal/db' }, 'DATABASE_URL'],
  [{ DATABASE_URL: 'postgres://u:pw-x@10.0.0.4/db?sslmode=prefer' }, 'verify-full'],
  [{ BELLWETHER_SMTP_URL: 'smtp://u:pw-x@mail.example' }, 'smtps://'],
])('%j leaves data in the clear, and the start says so without its password', (env, words) => {
  const [warning, ...more] = warn(env)
  expect(warning).toContain(words)
  expect(warning).not.toContain('pw-x')
  expect(more).toEqual([])
})

test('a name that sets nothing is said with the one that is near, and never with its value', () => {
  const env = { BELLWETHER_SMPT_URL: 'smtps://u:pw-x@mail.example', BELLWETHER_COLOUR: 'pw-x' }
  expect(warn(env)).toEqual([
    'BELLWETHER_SMPT_URL is no setting and does nothing: did you mean BELLWETHER_SMTP_URL?',
    'BELLWETHER_COLOUR is no setting and does nothing: README.md lists the settings',
  ])
})

test('what Kubernetes tells of a service called like a setting is passed over, and said', () => {
  const env = {
    BELLWETHER_METRICS_PORT: 'tcp://10.96.0.7:9464',
    BELLWETHER_METRICS_SERVICE_HOST: '10.96.0.7',
    BELLWETHER_METRICS_SERVICE_PORT: '9464',
    BELLWETHER_METRICS_PORT_9464_TCP: 'tcp://10.96.0.7:9464',
    BELLWETHER_METRICS_PORT_9464_TCP_PROTO: 'tcp',
    BELLWETHER_PORT: 'tcp://10.96.0.8:3000',
  }
  expect(readConfig(env).metrics).toBeNull()
  expect(warn(env)).toEqual([
    'BELLWETHER_METRICS_PORT is passed over: its value is what Kubernetes tells of a service named ' +
      'bellwether-metrics, not a port; give the port in the pod, or set enableServiceLinks: false there',
  ])
})
