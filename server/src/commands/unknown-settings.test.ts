// Which names of the environment are told as misspelt settings, and which are left to those who put them there.
import { expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { findUnknownSettings } from './unknown-settings.ts'

const unknown = (env: Record<string, string | undefined>) =>
  findUnknownSettings(readConfig(env).unread)

test.each([
  ['BELLWETHER_WEBHOKS_ALLOW', 'BELLWETHER_WEBHOOK_ALLOW'],
  ['BELLWETHER_DATADIR', 'BELLWETHER_DATA_DIR'],
  ['BELLWETHER_TRUSTED_PROXIES', 'BELLWETHER_TRUST_PROXY'],
  ['BELLWETHER_SECRET_KEY_FIEL', 'BELLWETHER_SECRET_KEY_FILE'],
  ['BELLWETHER_MAIL_FROM_FILE', 'BELLWETHER_MAIL_FROM'],
  ['bellwether_log_level', 'BELLWETHER_LOG_LEVEL'],
  ['BELLWEATHER_LOG_LEVEL', 'BELLWETHER_LOG_LEVEL'],
  ['BELWETHER_METRICS_HOST', 'BELLWETHER_METRICS_HOST'],
  ['BELLWETHER_DATABASE_URL', 'DATABASE_URL'],
  ['BELLWETHER_HOST', 'HOST'],
  ['BELLWETHER_PORT', 'PORT'],
  ['BELLWETHER_COLOUR', null],
])('%s is told, and that %s may be meant', (name, meant) => {
  expect(unknown({ [name]: 'x' })).toEqual([{ name, meant }])
})

test.each([
  { BELLWETHER_DATA_DIR: './data', BELLWETHER_METRICS_HOST: '::1', DATABASE_URL_FILE: '' },
  { BELLWETHER_URL: 'http://127.0.0.1:3000', BELLWETHER_KEY: 'bw_live_x', BELLWETHER_BROWSER: 'x' },
  { BELLWETHER_SERVICE_HOST: '10.0.0.1', BELLWETHER_SERVICE_PORT_HTTP: '3000' },
  { BELLWETHER_PORT: 'tcp://10.0.0.1:3000', BELLWETHER_PORT_3000_TCP_ADDR: '10.0.0.1' },
  { BELLWETHER_WORKER_SERVICE_PORT: '3000', BELLWETHER_TYPO: '' },
  { HOSTNAME: 'x', POST: 'x', DATABASE_URI: 'x', OTEL_LOG_LEVEL: 'x', LOG_LEVEL: 'x' },
])('nothing is told of %j', env => {
  expect(unknown(env)).toEqual([])
})
