// @promise limits
import test from 'ava'
import * as auth from '../../api/auth.ts'
import { call } from '../helpers/client.ts'
import { startPlatform } from '../helpers/platform.ts'

const login = async (url: string, forwarded: string) => {
  const body = { email: 'nobody@example.com', password: 'a long password' }
  const { status } = await call({ url }, auth.login, { body, headers: { 'x-forwarded-for': forwarded } })
  return status
}

test('behind a trusted proxy each client is counted for itself, by the address that the proxy saw', async (t) => {
  const { url } = await startPlatform(t, { env: { TRUSTED_PROXIES: '1', RATE_LIMIT_AUTH_PER_MINUTE: '1' } })
  t.is(await login(url, '192.0.2.1'), 401)
  t.is(await login(url, '192.0.2.2'), 401)
  t.is(await login(url, '198.51.100.7, 192.0.2.2'), 429, 'what the client wrote itself does not count')
})

test('without a trusted proxy the header counts for nothing', async (t) => {
  const { url } = await startPlatform(t, { env: { RATE_LIMIT_AUTH_PER_MINUTE: '1' } })
  t.is(await login(url, '192.0.2.1'), 401)
  t.is(await login(url, '192.0.2.2'), 429)
})
